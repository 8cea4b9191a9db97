// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../fields.ts";
import { type Kind, setColumn } from "../kind.ts";
import { sourceUrlAt } from "../strip-url-credentials.ts";
import { createSourceKind } from "./create-source-kind.ts";

/** Flux's Buckets: object storage as a source. */
export const bucketKind: Kind = createSourceKind({
  resource: "buckets",
  kind: "Bucket",
  versions: ["v1", "v1beta2"],
  columns: [
    { name: "endpoint", type: "string", isMain: true },
    { name: "bucketName", type: "string", isMain: true },
    { name: "prefix", type: "string" },
    { name: "region", type: "string" },
    { name: "provider", type: "string" },
  ],
  setOrigin(columns, object) {
    setColumn(columns, "endpoint", sourceUrlAt(object, "spec", "endpoint"));
    for (const name of ["bucketName", "prefix", "region", "provider"])
      setColumn(columns, name, textOf(object, "spec", name));
  },
});
