// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Draft, type DraftObject, getKey, isEqualJson, isObject, setKey } from "../json/json.ts";
import { parseJsonText } from "../json/parse-json.ts";
import { arbitraryJson } from "../json/testing/arbitrary-json.ts";
import { decodeBody, encodeBody, renderBody, renderPrefix } from "./stored-body.ts";

const arbitraryObject = arbitraryJson.filter((value): value is DraftObject => isObject(value));

/** An object as it is stored: with a name, and whatever else users thought of. */
const arbitraryStored = fc.tuple(arbitraryObject, arbitraryObject).map(([rest, metadata]) => {
  const object: DraftObject = {};
  for (const [key, value] of Object.entries(rest)) setKey(object, key, value);
  setKey(metadata, "name", "w");
  setKey(object, "metadata", metadata);
  return object;
});

test("[AP1] a stored object is read back equal, parsed or spliced, with the requested apiVersion and its revision", () => {
  const prefix = renderPrefix("v1", "Widget");
  fc.assert(
    fc.property(arbitraryStored, fc.nat(), (object, revision) => {
      const body = encodeBody(object);
      const decoded = decodeBody(body, revision);
      const rendered: Draft = parseJsonText(new TextDecoder().decode(renderBody(body, prefix, revision)), {
        findDuplicates: false,
      }).value;
      const expected = {
        ...object,
        metadata: { ...(object["metadata"] as DraftObject), resourceVersion: `${revision}` },
      };
      for (const key of ["apiVersion", "kind"]) Reflect.deleteProperty(expected, key);
      expect(isEqualJson(decoded, expected)).toBe(true);
      if (!isObject(rendered)) throw new Error("not an object");
      expect(getKey(rendered, "kind")).toBe("Widget");
      for (const key of ["apiVersion", "kind"]) Reflect.deleteProperty(rendered, key);
      expect(isEqualJson(rendered, expected)).toBe(true);
    }),
  );
});
