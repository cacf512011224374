import { useEffect, useRef } from "react";
import { needsPersonNow, statusText } from "../../../core/view/cast-list.ts";
import { oneLine } from "../../../core/model/text.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { useCasts } from "../data/use-casts-and-fleet.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { capitalize } from "../ui/status.tsx";
import type { CastStatus, CastSummary } from "../../../core/cast/summary.ts";

/** The statuses that are worth a notification. */
const NOTIFIED_STATUSES: ReadonlySet<CastStatus> = new Set([
  "waiting",
  "failed",
  "completed",
  "not_satisfied",
  "interrupted",
]);

/** [W32] The title of the tab: the shown cast and its status, otherwise the number of waiting casts. */
export function useCastTitle(
  page: string,
  name: string | null,
): { readonly before: string; readonly shown: string | null } {
  const { casts } = useCasts();
  if (page === "casts" && name !== null) {
    const cast = casts.find(({ castId }) => castId === name);
    if (cast) return { before: `${capitalize(statusText(cast.status))}: `, shown: oneLine(cast.request, 60) };
  }
  const waiting = casts.filter(needsPersonNow).length;
  return { before: waiting === 0 ? "" : `(${waiting} waiting) `, shown: null };
}

/** [W32] A system notification for a cast that waits, fails or ends while the tab is hidden, if allowed. */
export function useCastNotifications(): void {
  const { casts, isReady } = useCasts();
  const { catalog } = useCatalog();
  const known = useRef<ReadonlyMap<string, CastStatus> | null>(null);
  const isWanted = catalog?.settings.notify !== false;
  useEffect(() => {
    if (!isReady) return;
    const before = known.current;
    known.current = new Map(casts.map(({ castId, status }) => [castId, status]));
    if (!before || !isWanted || !document.hidden) return;
    for (const cast of casts)
      if (before.get(cast.castId) === "running" && NOTIFIED_STATUSES.has(cast.status)) showNotification(cast);
  }, [casts, isReady, isWanted]);
}

function showNotification({ castId, request, status, loadout }: CastSummary): void {
  if (typeof Notification === "undefined" || Notification.permission !== "granted") return;
  const title = `${capitalize(statusText(status))}: ${loadout}`;
  const notice = new Notification(title, { body: oneLine(request, 200), tag: castId });
  notice.addEventListener("click", () => {
    window.focus();
    navigate(hrefOf("casts", castId));
  });
}
