// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../fields.ts";
import { type Kind, setColumn } from "../kind.ts";
import { sourceUrlAt } from "../strip-url-credentials.ts";
import { createSourceKind, refText } from "./create-source-kind.ts";

/** Flux's GitRepositories. If several references are set, Flux uses the most specific one, and so does the row. */
export const gitRepositoryKind: Kind = createSourceKind({
  resource: "gitrepositories",
  kind: "GitRepository",
  versions: ["v1", "v1beta2"],
  columns: [
    { name: "url", type: "string", isMain: true },
    { name: "ref", type: "string", isMain: true },
    { name: "provider", type: "string" },
  ],
  setOrigin(columns, object) {
    setColumn(columns, "url", sourceUrlAt(object, "spec", "url"));
    setColumn(columns, "ref", refText(object, ["commit", "name", "semver", "tag", "branch"]));
    setColumn(columns, "provider", textOf(object, "spec", "provider"));
  },
});
