// SPDX-License-Identifier: Apache-2.0
import { type PageFiles, pageIndex } from "../../rpc/page/page-files.ts";

/** The script of the built page in its index. The build writes the index in this form. */
const entryScript = /<script\b[^>]*\ssrc="\/ui\/(assets\/[^"]+\.js)"/;

/**
 * The version that a page compares with its own (PG26): the path of its script below /ui/. The name contains a hash of
 * the content and of its imports, so it changes exactly when a script does. "" without a page, or if its script has no
 * such name.
 */
export function pageVersionOf(files: PageFiles | undefined): string {
  const index = files?.get(pageIndex);
  if (index === undefined) return "";
  const path = entryScript.exec(new TextDecoder().decode(index.identity))?.[1] ?? "";
  return files?.get(path)?.isImmutable === true ? path : "";
}
