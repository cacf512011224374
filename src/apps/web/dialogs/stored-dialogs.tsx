import type { ReactElement } from "react";
import { RenameTestsDialog } from "./rename-tests-dialog.tsx";
import { TrustProjectDialog } from "./trust-project-dialog.tsx";

export default function StoredDialogs(): ReactElement {
  return (
    <>
      <TrustProjectDialog />
      <RenameTestsDialog />
    </>
  );
}
