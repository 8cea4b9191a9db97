// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AuditRecordSchema } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { toAuditRow } from "./audit-view.ts";

function changeOf(old: object, changed: object): string | undefined {
  const record = create(AuditRecordSchema, { oldValue: JSON.stringify(old), newValue: JSON.stringify(changed) });
  return toAuditRow(record, 0).at(-1);
}

test("[AU10] a creation prints its values and no arrow from nothing", () => {
  expect(changeOf({}, { user: "alice", groups: "", expires: "never" })).toBe("created: user alice, expires never");
  expect(changeOf({}, { labels: "" })).toBe("created");
});

test("[AU10] a removal prints what there was", () => {
  expect(changeOf({ paused: "false", labels: "", uid: "u-1" }, {})).toBe("removed: paused false, uid u-1");
});

test("[AU10] a change prints old and new; a field that is new to the record prints its value alone", () => {
  expect(changeOf({ labels: "" }, { labels: "tier=gold" })).toBe("labels: none -> tier=gold");
  expect(changeOf({ uid: "a" }, { uid: "b", credential: "replaced" })).toBe("uid: a -> b; credential: replaced");
  expect(changeOf({}, {})).toBe("-");
});
