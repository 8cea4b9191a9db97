// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import { fieldOf, integerOf, isObject, keysOf, listOf, textOf, textsOf } from "../fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { defaultedColumn, setWithDefaults } from "./defaulted.ts";
import { istioStatus } from "./istio-status.ts";

type Part = Readonly<Record<string, unknown>>;

/**
 * VirtualServices: routes, destinations and weights (N-12). Values of matched headers and parameters may be credentials
 * and are not collected.
 */
export const virtualServiceKind: Kind = {
  resource: { group: "networking.istio.io", resource: "virtualservices" },
  kind: "VirtualService",
  versions: ["v1", "v1beta1", "v1alpha3"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [
    { name: "hosts", type: "stringList", isMain: true },
    { name: "gateways", type: "stringList", isMain: true },
    { name: "exportTo", type: "stringList" },
    { name: "destinations", type: "stringList", isJson: true, isMain: true },
    { name: "routes", type: "stringList", isJson: true },
    defaultedColumn,
  ],
  project: projectVirtualService,
};

/** The route lists, in the order of Istio's reference. */
const protocols = ["http", "tls", "tcp"] as const;

function projectVirtualService(object: unknown): Projected {
  const columns: Columns = new Map();
  const routes = protocols.flatMap((protocol) =>
    listOf(object, "spec", protocol).map((route, index) => ({ route, place: `${protocol}/${index}` })),
  );
  setColumn(columns, "hosts", textsOf(object, "spec", "hosts"));
  setWithDefaults(columns, {
    gateways: [textsOf(object, "spec", "gateways"), ["mesh"]],
    exportTo: [textsOf(object, "spec", "exportTo"), ["*"]],
  });
  // A row that is too long loses its later lists first (KI6), so destinations come before matches.
  setColumn(columns, "destinations", jsonTexts(routes.flatMap(toDestinations)));
  setColumn(columns, "routes", jsonTexts(routes.map(toRoute)));
  return { columns, ...istioStatus(object) };
}

interface PlacedRoute {
  readonly route: unknown;
  /** `http/0`: protocol and index. Destinations refer to their route by it. */
  readonly place: string;
}

function toRoute({ route, place }: PlacedRoute): Part {
  const matches = listOf(route, "match").map(toMatch);
  return {
    route: place,
    name: textOf(route, "name"),
    matches: matches.length === 0 ? undefined : matches,
    action: ["redirect", "directResponse", "delegate"].find((each) => isObject(fieldOf(route, each))),
    timeout: textOf(route, "timeout"),
    attempts: integerOf(route, "retries", "attempts"),
  };
}

/** A match without secrets: headers and query parameters by name only. */
function toMatch(match: unknown): Part {
  return {
    name: textOf(match, "name"),
    uri: stringMatch(match, "uri"),
    method: stringMatch(match, "method"),
    authority: stringMatch(match, "authority"),
    headers: namesOf(match, "headers"),
    queryParams: namesOf(match, "queryParams"),
    sniHosts: someTexts(match, "sniHosts"),
    destinationSubnets: someTexts(match, "destinationSubnets"),
    port: integerOf(match, "port"),
    gateways: someTexts(match, "gateways"),
    sourceNamespace: textOf(match, "sourceNamespace"),
  };
}

/** `prefix /api`: the comparison and its text. */
function stringMatch(match: unknown, field: string): string | undefined {
  for (const how of ["exact", "prefix", "regex"]) {
    const text = textOf(match, field, how);
    if (text !== undefined) return `${how} ${text}`;
  }
  return undefined;
}

function namesOf(match: unknown, field: string): readonly string[] | undefined {
  const names = keysOf(match, field);
  return names.length === 0 ? undefined : names.toSorted(compareUtf8);
}

function someTexts(match: unknown, field: string): readonly string[] | undefined {
  const texts = textsOf(match, field);
  return texts.length === 0 ? undefined : texts;
}

/** The destinations of a route, in its order. Mirrors follow and are marked. */
function toDestinations({ route, place }: PlacedRoute): readonly Part[] {
  const mirror = fieldOf(route, "mirror");
  const mirrors = [
    ...(isObject(mirror) ? [{ destination: mirror }] : []),
    ...listOf(route, "mirrors").map((each) => ({ destination: fieldOf(each, "destination") })),
  ];
  return [
    ...listOf(route, "route").map((each) => toDestination(place, each)),
    ...mirrors.map((each) => ({ ...toDestination(place, each), isMirror: true })),
  ];
}

function toDestination(place: string, weighted: unknown): Part {
  const destination = fieldOf(weighted, "destination");
  return {
    route: place,
    host: textOf(destination, "host"),
    subset: textOf(destination, "subset"),
    port: integerOf(destination, "port", "number"),
    weight: integerOf(weighted, "weight"),
  };
}
