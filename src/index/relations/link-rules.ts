// SPDX-License-Identifier: Apache-2.0
// References between objects other than owner references: which columns of which kinds hold them (RL3).
import { textOf } from "../../kinds/fields.ts";
import { jsonElements } from "./json-elements.ts";
import type { PlacedRow } from "./visible-cluster.ts";

/** The types of edges. `owns` is that of owner references, the others are those of `linkRules`. */
export const edgeTypes = [
  "owns",
  "routesTo",
  "hasRoute",
  "hasEndpoints",
  "targets",
  "runsOn",
  "bindsTo",
  "scales",
] as const;

export type EdgeType = (typeof edgeTypes)[number];

/** An object that a row names. It may not exist. */
export interface LinkTarget {
  /** The text of the resource id; undefined if the row names only the kind. */
  readonly resource: string | undefined;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** How rows of one resource name other objects. */
export interface LinkRule {
  /** The resource whose rows hold the reference. */
  readonly holder: string;
  readonly type: EdgeType;
  /** The edge leads from the target to the holder. */
  readonly isReversed?: boolean;
  /** The only resource of targets; undefined if they can be of any. */
  readonly resource: string | undefined;
  /** Targets are in the namespace of the holder. */
  readonly isLocal?: boolean;
  /** The text column that is the name of the target, where it is one: a search compares it without reading rows. */
  readonly column?: string;
  targetsOf(holder: PlacedRow, namespace: string): readonly LinkTarget[];
}

const [pods, services] = ["pods", "services"];
const gateways = "gateway.networking.k8s.io/gateways";
const istioGateways = "networking.istio.io/gateways";

/** A rule for a text column that holds the name of the target. */
function byColumn(rule: Omit<LinkRule, "targetsOf"> & { readonly column: string; readonly kind: string }): LinkRule {
  return {
    ...rule,
    targetsOf: ({ table, row }, namespace) => {
      const name = table.text(row, rule.column);
      const scope = rule.isLocal === true ? namespace : "";
      return name === undefined || name === ""
        ? []
        : [{ resource: rule.resource, kind: rule.kind, namespace: scope, name }];
    },
  };
}

function service(namespace: string, name: string | undefined): readonly LinkTarget[] {
  return name === undefined || name === "" ? [] : [{ resource: services, kind: "Service", namespace, name }];
}

/** Backends and parents of a route of the Gateway API. */
function routeRules(resource: string): readonly LinkRule[] {
  const holder = `gateway.networking.k8s.io/${resource}`;
  const named = (column: string, kind: string, target: string) => (placed: PlacedRow, namespace: string) =>
    jsonElements(placed.table.list(placed.row, column)).flatMap((each) => {
      const name = textOf(each, "name");
      if (textOf(each, "kind") !== kind || name === undefined) return [];
      return [{ resource: target, kind, namespace: textOf(each, "namespace") ?? namespace, name }];
    });
  return [
    { holder, type: "routesTo", resource: services, targetsOf: named("backends", "Service", services) },
    {
      holder,
      type: "hasRoute",
      isReversed: true,
      resource: gateways,
      targetsOf: named("parents", "Gateway", gateways),
    },
  ];
}

/**
 * The Service of an Istio host: a name without a dot is in the namespace of the VirtualService, `NAME.NAMESPACE.svc` and
 * longer forms name both. Other hosts are not Services of the cluster.
 */
function serviceOfHost(host: string | undefined, namespace: string): readonly LinkTarget[] {
  const [name, given, suffix] = (host ?? "").split(".");
  if (given === undefined) return service(namespace, name);
  return suffix === "svc" ? service(given, name) : [];
}

/** `NAME`, or `NAMESPACE/NAME`. `mesh` stands for all sidecars and is no object. */
function istioGateway(text: string, namespace: string): readonly LinkTarget[] {
  const slash = text.indexOf("/");
  const scope = slash === -1 ? namespace : text.slice(0, slash);
  const name = text.slice(slash + 1);
  return text === "mesh" ? [] : [{ resource: istioGateways, kind: "Gateway", namespace: scope, name }];
}

const ingresses: LinkRule = {
  holder: "networking.k8s.io/ingresses",
  type: "routesTo",
  resource: services,
  isLocal: true,
  targetsOf: ({ table, row }, namespace) =>
    ["paths", "defaultBackend"]
      .flatMap((column) => jsonElements(table.list(row, column)))
      .flatMap((each) => service(namespace, textOf(each, "service"))),
};

const endpoints: LinkRule = {
  holder: "discovery.k8s.io/endpointslices",
  type: "targets",
  resource: pods,
  isLocal: true,
  // The namespace of a target is in the row only if it is not the slice's own, which no controller of Kubernetes writes.
  targetsOf: ({ table, row }, namespace) =>
    jsonElements(table.list(row, "endpoints")).flatMap((each) => {
      const name = textOf(each, "targetName");
      const isPod = textOf(each, "targetKind") === "Pod" && textOf(each, "targetNamespace") === undefined;
      return isPod && name !== undefined ? [{ resource: pods, kind: "Pod", namespace, name }] : [];
    }),
};

const autoscalers: LinkRule = {
  holder: "autoscaling/horizontalpodautoscalers",
  type: "scales",
  resource: undefined,
  isLocal: true,
  targetsOf: ({ table, row }, namespace) => {
    const [kind, name] = [table.text(row, "targetKind"), table.text(row, "targetName")];
    return kind === undefined || name === undefined ? [] : [{ resource: undefined, kind, namespace, name }];
  },
};

const virtualServices = "networking.istio.io/virtualservices";

/** Every rule. A Pod's volumes, ConfigMaps and Secrets are in no column, so they are not among them. */
export const linkRules: readonly LinkRule[] = [
  byColumn({ holder: pods, type: "runsOn", resource: "nodes", kind: "Node", column: "node" }),
  byColumn({
    holder: "persistentvolumeclaims",
    type: "bindsTo",
    resource: "persistentvolumes",
    kind: "PersistentVolume",
    column: "volume",
  }),
  byColumn({
    holder: endpoints.holder,
    type: "hasEndpoints",
    isReversed: true,
    isLocal: true,
    resource: services,
    kind: "Service",
    column: "service",
  }),
  endpoints,
  ingresses,
  autoscalers,
  ...["httproutes", "grpcroutes", "tlsroutes", "tcproutes"].flatMap(routeRules),
  {
    holder: virtualServices,
    type: "routesTo",
    resource: services,
    targetsOf: ({ table, row }, namespace) =>
      jsonElements(table.list(row, "destinations")).flatMap((each) => serviceOfHost(textOf(each, "host"), namespace)),
  },
  {
    holder: virtualServices,
    type: "hasRoute",
    isReversed: true,
    resource: istioGateways,
    targetsOf: ({ table, row }, namespace) =>
      (table.list(row, "gateways") ?? []).flatMap((each) => istioGateway(each, namespace)),
  },
];
