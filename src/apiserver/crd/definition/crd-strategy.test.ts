// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { DraftObject } from "../../json/json.ts";
import { formatFieldError, widgets } from "../testing/recorded.ts";
import { crdStrategy } from "./crd-strategy.ts";

function withFormats(...formats: readonly string[]): DraftObject {
  const properties = Object.fromEntries(formats.map((format, at) => [`f${at}`, { type: "string", format }]));
  return widgets({ version: { schema: { openAPIV3Schema: { type: "object", properties } } } });
}

test("formats that mean nothing are warned of, but not those that were there before", () => {
  const crd = withFormats("odd", "date-time", "int32");
  expect(crdStrategy.warnings?.(crd, undefined)).toEqual(['unrecognized format "odd"', 'unrecognized format "int32"']);
  expect(crdStrategy.warnings?.(crd, withFormats("odd"))).toEqual(['unrecognized format "int32"']);
});

test("a definition goes through its strategy as it would be stored", () => {
  const crd = widgets();
  crdStrategy.setDefaults?.(crd);
  crdStrategy.prepareForCreate?.(crd, {} as Parameters<NonNullable<typeof crdStrategy.prepareForCreate>>[1]);
  expect(crdStrategy.validate?.(crd)).toEqual([]);
  const status = { acceptedNames: { plural: "Wrong" } };
  expect(crdStrategy.validateStatusUpdate?.({ ...crd, status }, crd).map(formatFieldError)[0]).toContain(
    "status.acceptedNames.plural",
  );
});
