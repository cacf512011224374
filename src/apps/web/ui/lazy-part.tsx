import { useEffect, useState, type ComponentType, type ReactElement } from "react";

/**
 * A part of the page that loads when it is drawn, or earlier with `preload`. Once it is there it is drawn at once:
 * what React's `lazy` loads stays hidden for 0.3 s.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  placeholder: ReactElement | null = null,
): ComponentType<P> & { readonly preload: () => Promise<void> } {
  let Loaded: ComponentType<P> | null = null;
  const preload = async (): Promise<void> => {
    Loaded ??= await load();
  };
  const Part = (props: P): ReactElement | null => {
    const [isLoaded, setLoaded] = useState(Loaded !== null);
    const [failure, setFailure] = useState<{ readonly thrown: unknown } | null>(null);
    useEffect(() => {
      if (!isLoaded)
        preload().then(
          () => setLoaded(true),
          (thrown: unknown) => setFailure({ thrown }),
        );
    }, [isLoaded]);
    // The boundary around it shows what went wrong.
    if (failure) throw failure.thrown;
    return isLoaded && Loaded ? <Loaded {...props} /> : placeholder;
  };
  return Object.assign(Part, { preload });
}
