import type { CastId } from "../../../../core/model/ids.ts";
import { ok, type Result } from "../../../../core/model/issue.ts";
import { createUnpacker } from "../../../../core/view/bookmark/unpack.ts";
import type { CastTimeline } from "../../../../core/view/now/trail.ts";
import { MAX_FILE_BYTES, readRegularText } from "../../../system/regular-file.ts";
import type { CastFile } from "../../cast-file.ts";
import { TIMELINE } from "../../loading.ts";
import type { CastLayout } from "../../layout.ts";
import { foldJournalFrom, type FoldedJournal, type JournalPosition } from "../journal/read-journal.ts";
import { digestFileStart } from "../bookmarks/file-digest.ts";
import type { BookmarkKey, FoundBookmarks } from "../bookmarks/open-bookmarks.ts";
import { firstSeal, readSealedLines, type Bookmark } from "../bookmarks/sealed-lines.ts";
import { foldFromHeader, readCastHeader, rejectForeignEvents, type CastReading } from "./read-cast.ts";

/** [J28] A cast as it stands: from its last bookmark on where that fits the journal, else from the beginning. */
export function readCurrentCast(layout: CastLayout, castId: CastId, key: BookmarkKey): Result<CastReading<CastTimeline>> {
  const opened = readCastHeader(layout, castId);
  if (!opened.ok) return opened;
  const found = readFromBookmark(layout, opened.value.file, key);
  if (!found) return foldFromHeader(layout, opened.value, TIMELINE);
  const { value, ...journal } = found;
  return ok({ ...opened.value, value, tornBytes: journal.tornBytes, journal });
}

/** Whatever is odd about bookmarks, the journal is the truth: then it is read as if there were none. */
function readFromBookmark(
  layout: CastLayout,
  file: CastFile,
  key: BookmarkKey,
): (FoldedJournal<CastTimeline> & { readonly bookmarks: FoundBookmarks }) | undefined {
  try {
    const text = readRegularText(layout.bookmarks, MAX_FILE_BYTES.bookmarks);
    const sealedBy = key.find();
    if (sealedBy === undefined) return undefined;
    const unpacker = createUnpacker(TIMELINE.begin(file));
    let last: JournalPosition & Pick<Bookmark, "digest"> = JOURNAL_START;
    const end = readSealedLines(text, sealedBy, firstSeal(layout.castFile, file.castId), ({ pack, ...place }) => {
      unpacker.add(pack);
      last = place;
    });
    if (end.bytes === 0 || digestFileStart(layout.journal, last.bytes) !== last.digest) return undefined;
    const value = unpacker.timeline();
    const folded = foldJournalFrom(layout.journal, file, last, { value, step: rejectForeignEvents(file.castId, TIMELINE.step) });
    return folded && { ...folded, bookmarks: { ...end, packed: unpacker.packingContext, journalBytes: last.bytes } };
  } catch {
    return undefined;
  }
}

const JOURNAL_START = { bytes: 0, digest: 0, head: { seq: 0, crc: 0 }, epoch: 0 };
