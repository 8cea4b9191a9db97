// SPDX-License-Identifier: Apache-2.0
import { defaultClusterIpRange } from "../builtin/core/core-strategies.ts";
import { isAggregated } from "../controllers/aggregate-roles.ts";
import { type ClusterClient, isRefusal, type ObjectRef } from "../controllers/cluster-client.ts";
import { copyJson, type DraftObject, ensureObject, isEqualJson, type JsonObject, setKey } from "../json/json.ts";
import { listAt, textAt, valueAt } from "../json/json-fields.ts";
import { nameOf, readBootstrapPolicy, withAggregatedRules } from "./bootstrap-policy.ts";
import {
  canBeEndpoint,
  firstAddress,
  kubernetesEndpointSlice,
  kubernetesEndpoints,
  kubernetesService,
  type ServerAddress,
} from "./kubernetes-service.ts";
import { isProtected, reconcileBinding, reconcileRole } from "./reconcile-policy.ts";

/** The settings of a cluster's bootstrap. */
export interface BootstrapOptions {
  /** The server's address. Without it, no Service `kubernetes` is created. */
  readonly address?: ServerAddress;
  /**
   * Address range of Services; its first address is that of the Service `kubernetes`. Must equal the server's range.
   */
  readonly clusterIpRange?: string;
}

/** One required object. */
interface Needed {
  readonly resource: string;
  /** The object to create. */
  readonly object: JsonObject;
  /** Adjusts an existing object; absent if any existing object is sufficient. */
  readonly reconcile?: (draft: DraftObject) => void;
}

const rbac = "rbac.authorization.k8s.io";

const systemNamespaces: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/**
 * Ensures the default objects of a cluster: namespaces, roles and bindings, priority classes, the Service `kubernetes`.
 * Writes only differences, so that a second start writes nothing. Namespaced objects are skipped if a namespace fails;
 * all others are tried. Then it rejects with a failure, if any.
 */
export async function installBootstrap(client: ClusterClient, options: BootstrapOptions = {}): Promise<void> {
  const policy = readBootstrapPolicy();
  const namespaces = systemNamespaces.map(
    (name): Needed => ({ resource: "namespaces", object: { metadata: { name } } }),
  );
  const clusterWide = [
    ...clusterRolesOf(policy.clusterRoles, client),
    ...bindingsOf("clusterrolebindings", policy.clusterRoleBindings),
    ...policy.priorityClasses.map((object): Needed => ({ resource: "scheduling.k8s.io/priorityclasses", object })),
  ];
  const namespaced = [
    ...policy.roles.map((object) => roleNeeded("roles", object, object)),
    ...bindingsOf("rolebindings", policy.roleBindings),
    ...serviceOf(options),
  ];
  const made = ensureAll(client, namespaces).then(() => ensureAll(client, namespaced));
  const ends = await Promise.allSettled([ensureAll(client, clusterWide), made]);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

async function ensureAll(client: ClusterClient, needed: readonly Needed[]): Promise<void> {
  const ends = await Promise.allSettled(needed.map((each) => ensure(client, each)));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

async function ensure(client: ClusterClient, { resource, object, reconcile }: Needed): Promise<void> {
  const ref = { resource, namespace: textAt(object, "metadata", "namespace") ?? "", name: nameOf(object) };
  const existing = client.objects.get(ref.resource, ref.namespace, ref.name);
  if (existing === undefined) await create(client, ref, object);
  else if (reconcile !== undefined && !isProtected(existing)) {
    if (isOtherRole(existing, object)) {
      await client.delete(ref, { uid: textAt(existing, "metadata", "uid") ?? "" });
      await create(client, ref, object);
      return;
    }
    const draft = copyJson(existing);
    reconcile(draft);
    if (!isEqualJson(draft, existing)) await client.update(ref, reconcile);
  }
}

/** A process that starts concurrently may create the same object first; its object is sufficient. */
async function create(client: ClusterClient, { resource }: ObjectRef, object: JsonObject): Promise<void> {
  try {
    await client.create(resource, copyJson(object));
  } catch (reason) {
    if (!isRefusal(reason, "AlreadyExists")) throw reason;
  }
}

/** The roleRef of a binding is immutable, so a binding to another role is replaced. */
function isOtherRole(existing: JsonObject, expected: JsonObject): boolean {
  const roleRef = valueAt(expected, "roleRef");
  return roleRef !== undefined && !isEqualJson(valueAt(existing, "roleRef"), roleRef);
}

/**
 * Computes the rules of aggregated roles only if a role is missing. Aggregated roles come last, ordered by their number
 * of rules, so that an aggregated role never has rules of a role that does not exist yet.
 */
function clusterRolesOf(roles: readonly JsonObject[], { objects }: ClusterClient): readonly Needed[] {
  const isComplete = roles.every((role) => objects.get(`${rbac}/clusterroles`, "", nameOf(role)) !== undefined);
  const created = isComplete ? roles : withAggregatedRules(roles);
  const order = (role: JsonObject): number => (isAggregated(role) ? (listAt(role, "rules") ?? []).length : -1);
  return created
    .map((object, index) => ({ object, expected: roles[index] ?? object }))
    .toSorted((a, b) => order(a.object) - order(b.object))
    .map(({ object, expected }) => roleNeeded("clusterroles", object, expected));
}

function roleNeeded(resource: string, object: JsonObject, expected: JsonObject): Needed {
  return { resource: `${rbac}/${resource}`, object, reconcile: (draft) => reconcileRole(draft, expected) };
}

function bindingsOf(resource: string, bindings: readonly JsonObject[]): readonly Needed[] {
  return bindings.map((object) => ({
    resource: `${rbac}/${resource}`,
    object,
    reconcile: (draft) => reconcileBinding(draft, object),
  }));
}

/** The server's address may change between starts, so these objects are always updated to the current one. */
function serviceOf({ address, clusterIpRange = defaultClusterIpRange }: BootstrapOptions): readonly Needed[] {
  if (address === undefined) return [];
  const object = kubernetesService(firstAddress(clusterIpRange), address.port);
  const ports = listAt(object, "spec", "ports") ?? [];
  const service: Needed = {
    resource: "services",
    object,
    reconcile: (draft) => setKey(ensureObject(draft, "spec"), "ports", copyJson(ports)),
  };
  if (!canBeEndpoint(address)) return [service];
  const endpoints = kubernetesEndpoints(address);
  const slice = kubernetesEndpointSlice(address);
  return [
    service,
    { resource: "endpoints", object: endpoints, reconcile: (draft) => takeFrom(endpoints, ["subsets"], draft) },
    {
      resource: "discovery.k8s.io/endpointslices",
      object: slice,
      reconcile: (draft) => takeFrom(slice, ["endpoints", "ports"], draft),
    },
  ];
}

function takeFrom(object: JsonObject, keys: readonly string[], draft: DraftObject): void {
  for (const key of keys) setKey(draft, key, copyJson(object[key] ?? null));
}
