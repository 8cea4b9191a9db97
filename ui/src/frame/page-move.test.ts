// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { decidePageMove, type PageMove, type PageSight, versionOfEntry } from "./page-move.ts";

const calm: PageSight = {
  running: "old",
  served: "new",
  reloadedFor: undefined,
  isHidden: false,
  isEngaged: false,
  hasUnsaved: false,
};

test.each<[string, Partial<PageSight>, PageMove]>([
  ["the same page stays", { served: "old" }, "stay"],
  ["the same page stays, also after a reload for it", { served: "old", reloadedFor: "old" }, "stay"],
  ["a hub that says none changes nothing", { served: "" }, "stay"],
  ["a page that does not know its own version stays", { running: "" }, "stay"],
  ["a calm page reloads at once", {}, "reload"],
  ["a hidden one too", { isHidden: true }, "reload"],
  ["somebody who is busy is asked", { isEngaged: true }, "offer"],
  ["somebody who was busy and went away is not", { isEngaged: true, isHidden: true }, "reload"],
  ["what would be lost is kept", { hasUnsaved: true }, "offer"],
  ["what would be lost is kept while nobody looks", { hasUnsaved: true, isHidden: true }, "offer"],
  ["a reload that brought another page is not repeated", { reloadedFor: "new" }, "warn"],
  ["nor while nobody looks", { reloadedFor: "new", isHidden: true }, "warn"],
  ["nor when somebody is busy", { reloadedFor: "new", isEngaged: true, hasUnsaved: true }, "warn"],
  ["a reload for another version does not count", { reloadedFor: "newer" }, "reload"],
])("[PG26] %s", (_name, some, move) => {
  expect(decidePageMove({ ...calm, ...some })).toBe(move);
});

test("[PG26] the version of a page is the path of its built entry; it has none in development", () => {
  expect(versionOfEntry("https://hub.example:7443/ui/assets/index-Bg4Q_-r8.js")).toBe("assets/index-Bg4Q_-r8.js");
  expect(versionOfEntry("http://localhost:5173/ui/src/main.tsx?t=1")).toBe("");
});
