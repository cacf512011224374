import type { ReactElement } from "react";
import type { PageProps } from "../pages.tsx";

export default function Page({ name }: PageProps): ReactElement {
  return <p>{name}</p>;
}
