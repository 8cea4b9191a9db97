// SPDX-License-Identifier: Apache-2.0
// Accepts or refuses the names of CustomResourceDefinitions, serves established ones, and deletes the objects of a
// deleted one.

import type { Clock } from "../../base/time/clock.ts";
import type { Controller } from "../../controllers/run-controller.ts";
import { establishedStatus } from "../crd/definition/accept-names.ts";
import { compileCrd } from "../crd/definition/compile-crd.ts";
import { type CrdVersion, versionsOf } from "../crd/definition/crd-accessors.ts";
import {
  type CrdCondition,
  cleanupFinalizer,
  isConditionTrue,
  terminatingConditions,
  withCondition,
} from "../crd/definition/crd-conditions.ts";
import { type DraftObject, ensureObject, type JsonObject } from "../json/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../json/json-fields.ts";
import type { ObjectChange } from "../resources/object-reader.ts";
import type { Resource } from "../resources/resource.ts";
import type { ResourceRegistry } from "../resources/resource-registry.ts";
import { formatTime } from "../schema-decode/go-time.ts";
import type { ClusterClient, ObjectRef } from "./cluster-client.ts";

export const crdResource = "apiextensions.k8s.io/customresourcedefinitions";

/** Keeps the registry's custom resources equal to the established definitions. Returns the function that stops it. */
export function followDefinitions(client: ClusterClient, registry: ResourceRegistry): () => void {
  const compiled = new Map<string, { readonly version: string; readonly resources: readonly Resource[] }>();
  const refresh = (crd: JsonObject, isDeleted: boolean): void => {
    const name = textAt(crd, "metadata", "name") ?? "";
    const version = textAt(crd, "metadata", "resourceVersion") ?? "";
    if (isDeleted || !isConditionTrue(crd, "Established")) {
      if (!compiled.delete(name)) return;
    } else {
      compiled.set(name, { version, resources: servedVersions(crd).map((each) => compileCrd(crd, each.name)) });
    }
    registry.setCustom([...compiled.values()].flatMap(({ resources }) => resources));
  };
  for (const crd of client.objects.list(crdResource)) refresh(crd, false);
  return client.objects.subscribe(({ type, resource, object }) => {
    if (resource === crdResource) refresh(object, type === "DELETED");
  });
}

/**
 * The served versions. A terminating definition without one serves its storage version, so that its objects can be
 * deleted.
 */
function servedVersions(crd: JsonObject): readonly CrdVersion[] {
  const versions = versionsOf(crd);
  const served = versions.filter(({ isServed }) => isServed);
  if (served.length > 0 || textAt(crd, "metadata", "deletionTimestamp") === undefined) return served;
  return versions.filter(({ isStorage }) => isStorage);
}

/** Writes the status of definitions, and deletes the objects of terminating ones. */
export function createCrdController(client: ClusterClient, clock: Clock): Controller<ObjectChange> {
  const { objects } = client;
  let turn: Promise<unknown> = Promise.resolve();
  /** Serialised: each decision must see the names that earlier ones accepted. */
  const acceptInTurn = (crd: JsonObject): Promise<void> => {
    const accepted = turn.then(() => accept(client, crd, clock));
    turn = accepted.catch(() => undefined);
    return accepted;
  };
  const names = (): Iterable<string> => objects.list(crdResource).map((crd) => textAt(crd, "metadata", "name") ?? "");
  return {
    name: "customresourcedefinitions",
    keys: names,
    *keysOf({ resource, type }) {
      if (resource === crdResource) yield* names();
      // The deleted object may be the last one of a terminating definition.
      else if (type === "DELETED" && isGoing(objects.list(crdResource), resource)) yield* names();
    },
    async reconcile(name) {
      const crd = objects.get(crdResource, "", name);
      if (crd === undefined) return {};
      if (textAt(crd, "metadata", "deletionTimestamp") !== undefined) await finish(client, crd, clock);
      else await acceptInTurn(crd);
      return {};
    },
  };
}

/** Accepts the names and establishes the API in one write: it is served from then on. */
async function accept(client: ClusterClient, crd: JsonObject, clock: Clock): Promise<void> {
  const others = client.objects.list(crdResource);
  const time = formatTime(clock.wallMs());
  await client.update(
    refOf(crd),
    (draft) => {
      const status = establishedStatus(draft, others, time);
      if (status !== undefined) draft["status"] = status;
    },
    "status",
  );
}

/** Deletes all objects of a terminating definition, then removes its finalizer. */
async function finish(client: ClusterClient, crd: JsonObject, clock: Clock): Promise<void> {
  if (!textsAt(crd, "metadata", "finalizers").includes(cleanupFinalizer)) return;
  const resource = storageIdOf(crd);
  const wasServed = isConditionTrue(crd, "Established");
  const left = wasServed ? client.objects.list(resource) : [];
  if (left.length > 0) {
    await setTerminating(client, crd, terminatingConditions.inProgress, clock);
    await Promise.all(left.map((object) => client.delete(refTo(resource, object))));
    if (client.objects.list(resource).length > 0) return;
  }
  await setTerminating(
    client,
    crd,
    wasServed ? terminatingConditions.finished : terminatingConditions.neverEstablished,
    clock,
  );
  await client.update(refOf(crd), (draft) => {
    const finalizers = textsAt(draft, "metadata", "finalizers").filter((each) => each !== cleanupFinalizer);
    ensureObject(draft, "metadata")["finalizers"] = finalizers;
  });
}

async function setTerminating(
  client: ClusterClient,
  crd: JsonObject,
  condition: CrdCondition,
  clock: Clock,
): Promise<void> {
  await client.update(refOf(crd), (draft) => setConditions(draft, [condition], clock), "status");
}

function setConditions(draft: DraftObject, wanted: readonly CrdCondition[], clock: Clock): void {
  const time = formatTime(clock.wallMs());
  let conditions = objectsAt(draft, "status", "conditions");
  for (const condition of wanted) conditions = withCondition(conditions, condition, time);
  ensureObject(draft, "status")["conditions"] = [...conditions] as DraftObject[];
}

function isGoing(definitions: readonly JsonObject[], resource: string): boolean {
  return definitions.some(
    (crd) => storageIdOf(crd) === resource && textAt(crd, "metadata", "deletionTimestamp") !== undefined,
  );
}

/** The resource id under which its objects are stored. */
function storageIdOf(crd: JsonObject): string {
  return `${textAt(crd, "spec", "group") ?? ""}/${textAt(crd, "spec", "names", "plural") ?? ""}`;
}

function refOf(crd: JsonObject): ObjectRef {
  return refTo(crdResource, crd);
}

function refTo(resource: string, object: JsonObject): ObjectRef {
  const metadata = objectAt(object, "metadata") ?? {};
  return { resource, namespace: textAt(metadata, "namespace") ?? "", name: textAt(metadata, "name") ?? "" };
}
