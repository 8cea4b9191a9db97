// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { PageFile, PageFiles } from "../../rpc/page/page-files.ts";
import { pageVersionOf } from "./page-version.ts";

function file(text: string, isImmutable = false): PageFile {
  return { contentType: "", hash: text, isImmutable, identity: new TextEncoder().encode(text), coded: new Map() };
}

/** A page as the build makes it, whose index names this script. */
function pageOf(script: string, isImmutable = true): PageFiles {
  const head = '<link rel="icon" href="/ui/icon.svg" />';
  const index = `<head>${head}<script type="module" crossorigin src="/ui/${script}"></script></head>`;
  return new Map([
    ["index.html", file(index)],
    [script, file("run()", isImmutable)],
    ["assets/other-11111111.js", file("later()", true)],
  ]);
}

test("[PG26] the version of a page is the path of the script that its index names", () => {
  expect(pageVersionOf(pageOf("assets/index-Bg4QQ7r8.js"))).toBe("assets/index-Bg4QQ7r8.js");
  expect(pageVersionOf(pageOf("assets/index-another1.js"))).toBe("assets/index-another1.js");
});

test("[PG26] a page whose script has no hash in its name, or is not there, has no version", () => {
  expect(pageVersionOf(pageOf("assets/index.js", false))).toBe("");
  const missing = new Map(pageOf("assets/index-Bg4QQ7r8.js"));
  missing.delete("assets/index-Bg4QQ7r8.js");
  expect(pageVersionOf(missing)).toBe("");
  expect(pageVersionOf(new Map([["index.html", file("<p>no script</p>")]]))).toBe("");
  expect(pageVersionOf(undefined)).toBe("");
});
