import { useEffect, useState } from "react";

/** The time in milliseconds, updated regularly while `runs`. */
export function useNow(runs: boolean, everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!runs) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [runs, everyMs]);
  return now;
}
