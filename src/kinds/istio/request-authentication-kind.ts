// SPDX-License-Identifier: Apache-2.0
import { booleanOf, listOf, textOf, textsOf } from "../fields.ts";
import { type ClusterFacts, type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { sourceUrl } from "../strip-url-credentials.ts";
import { istioStatus } from "./istio-status.ts";
import { selectionColumns, setSelection } from "./workload-selection.ts";

/**
 * RequestAuthentications: whose tokens are accepted (N-19). Of an inline key set only its presence is collected (L18).
 */
export const requestAuthenticationKind: Kind = {
  resource: { group: "security.istio.io", resource: "requestauthentications" },
  kind: "RequestAuthentication",
  versions: ["v1", "v1beta1"],
  isNamespaced: true,
  isConfiguration: true,
  usesFacts: true,
  columns: [
    ...selectionColumns,
    { name: "issuers", type: "stringList", isMain: true },
    { name: "jwtRules", type: "stringList", isJson: true },
  ],
  project: projectRequestAuthentication,
};

function projectRequestAuthentication(object: unknown, facts: ClusterFacts): Projected {
  const columns: Columns = new Map();
  const rules = listOf(object, "spec", "jwtRules");
  setSelection(columns, object, facts);
  setColumn(
    columns,
    "issuers",
    rules.flatMap((rule) => urlAt(rule, "issuer") ?? []),
  );
  setColumn(columns, "jwtRules", jsonTexts(rules.map(toRule)));
  return { columns, ...istioStatus(object) };
}

function toRule(rule: unknown): Readonly<Record<string, unknown>> {
  const audiences = textsOf(rule, "audiences");
  return {
    issuer: urlAt(rule, "issuer"),
    audiences: audiences.length === 0 ? undefined : audiences,
    jwksUri: urlAt(rule, "jwksUri"),
    hasInlineKeys: textOf(rule, "jwks") === undefined ? undefined : true,
    forwardOriginalToken: booleanOf(rule, "forwardOriginalToken"),
  };
}

/** An issuer may be an e-mail address, whose @ must stay. */
function urlAt(rule: unknown, field: string): string | undefined {
  const text = textOf(rule, field);
  return text?.includes("://") === true ? sourceUrl(text) : text;
}
