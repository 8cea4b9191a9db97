// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseClusterId } from "../../model/cluster-id.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import { RowTable } from "../../session/agent/row-table.ts";
import { pagePacker } from "../page-packer.ts";
import { KindAnnouncements } from "./kind-announcements.ts";

const hasher = await createHasher();

function open(rows: RowTable, resource: string): void {
  rows.openKind({ resource: { group: "many.example.com", resource }, kind: "Many", columns: [] });
}

test("[SE56] [RP51] each kind is named once, in order, and no message takes more than half of a Hello", () => {
  const rows = new RowTable({ clusterId: parseClusterId("east"), hasher, packer: pagePacker });
  const names = Array.from({ length: 2_000 }, (_, at) => `kind${at}`);
  for (const name of names) open(rows, name);
  const announcements = new KindAnnouncements(rows);
  const messages: (readonly string[])[] = [];
  for (let next = announcements.take(); next.length > 0; next = announcements.take()) messages.push(next);
  expect(messages.flat()).toEqual(names.map((name) => `many.example.com/${name}`));
  expect(messages.length).toBeGreaterThan(1);
  for (const message of messages) expect(message.join("").length).toBeLessThan(32 * 1024);
  open(rows, "late");
  expect(announcements.take()).toEqual(["many.example.com/late"]);
  expect(announcements.take()).toEqual([]);
});
