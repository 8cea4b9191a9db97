// SPDX-License-Identifier: Apache-2.0
import { type PageFiles, pageIndex } from "../../rpc/page-files.ts";

/** The script of the built page as its index names it. The build writes the index, so it has this form. */
const entryScript = /<script\b[^>]*\ssrc="\/ui\/(assets\/[^"]+\.js)"/;

/**
 * What a page compares with itself (PG26): the path of its script below /ui/. The name has a hash of the content, and of what it loads in turn, so it changes
 * exactly when a script of the page does. "" where there is no page, or its script has no such name: then nobody can tell one from another.
 */
export function pageVersionOf(files: PageFiles | undefined): string {
  const index = files?.get(pageIndex);
  if (index === undefined) return "";
  const path = entryScript.exec(new TextDecoder().decode(index.identity))?.[1] ?? "";
  return files?.get(path)?.isImmutable === true ? path : "";
}
