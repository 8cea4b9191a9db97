// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { KindSample } from "../testing/kind-sample.ts";
import { rootNamespaces, rowOf } from "../testing/sample-rows.ts";
import { istioKindSamples } from "./testing/samples.ts";

const cases = istioKindSamples.map((each): [string, KindSample] => [each.kind.kind, each]);

describe.each(cases)("the row of a %s", (_name, { kind, object }) => {
  test("[KI19] [N-62] has its scope by selector and root namespace where the kind has one", () => {
    const bare = { metadata: object.metadata };
    const scopes = [
      rowOf(kind, bare),
      rowOf(kind, bare, rootNamespaces("shop", "mesh-sys")),
      rowOf(kind, object, rootNamespaces("shop")),
    ].map(({ columns }) => columns.get("scope"));
    expect(scopes).toEqual(
      kind.usesFacts === true ? ["namespace", "mesh", "workload"] : [undefined, undefined, undefined],
    );
  });

  test("[KI11] is healthy as soon as the object exists", () => {
    expect(rowOf(kind, { metadata: object.metadata }).status).toBe("healthy");
  });
});
