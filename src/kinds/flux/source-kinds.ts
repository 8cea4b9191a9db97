// SPDX-License-Identifier: Apache-2.0
import { fieldOf, listOf, textOf } from "../fields.ts";
import { type Kind, setColumn } from "../kind.ts";
import { sourceUrlAt } from "../strip-url-credentials.ts";
import { createSourceKind } from "./create-source-kind.ts";
import { referenceText } from "./references.ts";

/** Flux's GitRepositories. */
export const gitRepositoryKind: Kind = createRepositoryKind({
  resource: "gitrepositories",
  kind: "GitRepository",
  references: ["commit", "name", "semver", "tag", "branch"],
});

/** Flux's OCIRepositories. */
export const ociRepositoryKind: Kind = createRepositoryKind({
  resource: "ocirepositories",
  kind: "OCIRepository",
  references: ["digest", "semver", "tag"],
});

/**
 * Flux's HelmRepositories. One of type `oci` is only an address: current Flux writes no status for it, so it is healthy
 * without one.
 */
export const helmRepositoryKind: Kind = createSourceKind({
  resource: "helmrepositories",
  kind: "HelmRepository",
  columns: [
    { name: "url", type: "string", isMain: true },
    { name: "type", type: "string", isMain: true },
    { name: "provider", type: "string" },
  ],
  setOrigin(columns, object) {
    setColumn(columns, "url", sourceUrlAt(object, "spec", "url"));
    setColumn(columns, "type", textOf(object, "spec", "type"));
    setColumn(columns, "provider", textOf(object, "spec", "provider"));
  },
  isStatic: (object) => textOf(object, "spec", "type") === "oci" && listOf(object, "status", "conditions").length === 0,
});

/** Flux's HelmCharts: a chart of a source, created for a HelmRelease. */
export const helmChartKind: Kind = createSourceKind({
  resource: "helmcharts",
  kind: "HelmChart",
  columns: [
    { name: "source", type: "string", isMain: true },
    { name: "chart", type: "string", isMain: true },
    { name: "chartVersion", type: "string", isMain: true },
  ],
  setOrigin(columns, object) {
    setColumn(columns, "source", referenceText(object, "spec", "sourceRef"));
    setColumn(columns, "chart", textOf(object, "spec", "chart"));
    setColumn(columns, "chartVersion", textOf(object, "spec", "version"));
  },
});

/** Flux's Buckets: object storage as a source. */
export const bucketKind: Kind = createSourceKind({
  resource: "buckets",
  kind: "Bucket",
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

/**
 * A repository with a reference to one state of it. `references` are its fields, most specific first: if several are
 * set, Flux uses the most specific one, and so does the row.
 */
function createRepositoryKind(parts: {
  readonly resource: string;
  readonly kind: string;
  readonly references: readonly string[];
}): Kind {
  return createSourceKind({
    resource: parts.resource,
    kind: parts.kind,
    columns: [
      { name: "url", type: "string", isMain: true },
      { name: "ref", type: "string", isMain: true },
      { name: "provider", type: "string" },
    ],
    setOrigin(columns, object) {
      setColumn(columns, "url", sourceUrlAt(object, "spec", "url"));
      setColumn(columns, "ref", refText(object, parts.references));
      setColumn(columns, "provider", textOf(object, "spec", "provider"));
    },
  });
}

/** `branch main`: the first of these fields that the reference sets, with its value. */
function refText(object: unknown, fields: readonly string[]): string | undefined {
  const ref = fieldOf(object, "spec", "ref");
  for (const field of fields) {
    const value = textOf(ref, field);
    if (value !== undefined && value !== "") return `${field} ${value}`;
  }
  return undefined;
}
