// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { configMapResource } from "../../../test/support/api-storage.ts";
import { type AnswerForm, protobufType } from "../request/accept.ts";
import { createEventForm } from "./event-form.ts";

function idOf(
  representation: AnswerForm["representation"],
  mediaType: AnswerForm["mediaType"] = "application/json",
): string | undefined {
  const form = { mediaType, representation };
  return createEventForm({ resource: configMapResource, form, includeObject: "Metadata", nowMs: () => 0 }).id;
}

test("lines are shared by watches of the same form only: versions of a representation differ, and tables are not shared", () => {
  const shared = [
    idOf({ kind: "object" }),
    idOf({ kind: "partial", version: "v1", isList: false }),
    idOf({ kind: "partial", version: "v1beta1", isList: false }),
    idOf({ kind: "object" }, protobufType),
    idOf({ kind: "partial", version: "v1", isList: false }, protobufType),
  ];
  expect(new Set(shared).size).toBe(5);
  expect(shared).not.toContain(undefined);
  expect(idOf({ kind: "table", version: "v1" })).toBeUndefined();
});
