import type { CastId } from "../../../../core/model/ids.ts";
import { ok, type Result } from "../../../../core/model/issue.ts";
import { openUnpacker } from "../../../../core/view/bookmark/unpack.ts";
import type { Trail } from "../../../../core/view/now/trail.ts";
import { MOST_BYTES, readRegularText } from "../../../system/regular-file.ts";
import type { CastFile } from "../../cast-file.ts";
import { TRAIL } from "../../loading.ts";
import type { CastLayout } from "../../layout.ts";
import { foldBehind, type FoldedJournal, type JournalPlace } from "../journal/read-journal.ts";
import { fileDigest } from "../bookmarks/file-digest.ts";
import type { BookmarkKey, FoundBookmarks } from "../bookmarks/open-bookmarks.ts";
import { firstSeal, unsealed, type Bookmark } from "../bookmarks/sealed-lines.ts";
import { foldOpened, openCast, ownEvents, type ReadCast } from "./read-cast.ts";

/** [J28] A cast as it stands: from its last bookmark on where that fits the journal, else from the beginning. */
export function currentCast(layout: CastLayout, castId: CastId, key: BookmarkKey): Result<ReadCast<Trail>> {
  const opened = openCast(layout, castId);
  if (!opened.ok) return opened;
  const found = fromBookmark(layout, opened.value.file, key);
  if (!found) return foldOpened(layout, opened.value, TRAIL);
  const { value, ...journal } = found;
  return ok({ ...opened.value, value, tornBytes: journal.tornBytes, journal });
}

/** Whatever is odd about bookmarks, the journal is the truth: then it is read as if there were none. */
function fromBookmark(
  layout: CastLayout,
  file: CastFile,
  key: BookmarkKey,
): (FoldedJournal<Trail> & { readonly bookmarks: FoundBookmarks }) | undefined {
  try {
    const text = readRegularText(layout.bookmarks, MOST_BYTES.bookmarks);
    const sealedBy = key.find();
    if (sealedBy === undefined) return undefined;
    const unpacker = openUnpacker(TRAIL.begin(file));
    let last: JournalPlace & Pick<Bookmark, "digest"> = NOWHERE;
    const end = unsealed(text, sealedBy, firstSeal(layout.castFile, file.castId), ({ pack, ...place }) => {
      unpacker.add(pack);
      last = place;
    });
    if (end.bytes === 0 || fileDigest(layout.journal, last.bytes) !== last.digest) return undefined;
    const value = unpacker.trail();
    const folded = foldBehind(layout.journal, file, last, { value, step: ownEvents(file.castId, TRAIL.step) });
    return folded && { ...folded, bookmarks: { ...end, packed: unpacker.packed, journalBytes: last.bytes } };
  } catch {
    return undefined;
  }
}

const NOWHERE = { bytes: 0, digest: 0, head: { seq: 0, crc: 0 }, epoch: 0 };
