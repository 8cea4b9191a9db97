// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { copyJson, type DraftObject, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, objectAt, objectsAt, textOf, valueAt } from "../../apiserver/json/json-fields.ts";
import { claimObjects } from "./claim-objects.ts";
import {
  ensureRevision,
  hashOf,
  type RevisionHistory,
  revisionHashLabel,
  templateOfRevision,
} from "./controller-revisions.ts";
import { makePod } from "./make-pod.ts";
import { countAt, isTerminating, nameOf, namespaceOf, withoutEmpty } from "./object-parts.ts";
import { createPods, deletePods } from "./owned-pods.ts";
import { controllerKey, ownerKinds } from "./owner.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";
import { isFinished, isReady, tallyPods } from "./pod-facts.ts";
import { updateStatus } from "./update-status.ts";

const kind = ownerKinds.statefulSet;
const component = "statefulset-controller";

/** StatefulSets: numbered Pods in order, each with its own volumes. */
export function createStatefulSetController(context: ControllerContext): PlaygroundController {
  const { client, clock } = context;
  return {
    name: "statefulset",
    resource: kind.resource,
    watches: { pods: ({ object }) => [controllerKey(object, kind)] },
    async reconcile({ namespace, name }) {
      const set = client.objects.get(kind.resource, namespace, name);
      if (set === undefined) return {};
      const selector = valueAt(set, "spec", "selector");
      const claim = (): Promise<readonly JsonObject[]> => claimObjects(client, "pods", { kind, object: set, selector });
      const pods = await claim();
      const history = await ensureRevision(client, kind, set, new Set(pods.map(hashOf)));
      if (!isTerminating(set)) await takeStep(context, set, byOrdinal(set, pods), history);
      const after = await claim();
      const nowMs = clock.wallMs();
      await updateStatus(client, kind.resource, set, (draft) => setStatus(draft, after, history, nowMs));
      const { nextAvailableInMs } = tallyPods(after, countOf(set, "spec", "minReadySeconds"), nowMs);
      return nextAvailableInMs === undefined ? {} : { retryAfterMs: nextAvailableInMs };
    },
  };
}

function byOrdinal(set: JsonObject, pods: readonly JsonObject[]): ReadonlyMap<number, JsonObject> {
  const prefix = `${nameOf(set)}-`;
  const numbered = pods.flatMap((pod): [number, JsonObject][] => {
    const text = nameOf(pod).startsWith(prefix) ? nameOf(pod).slice(prefix.length) : "";
    return /^\d+$/.test(text) ? [[Number(text), pod]] : [];
  });
  return new Map(numbered);
}

/** Creates missing Pods, and deletes surplus and outdated ones. One Pod at a time, unless the policy is Parallel. */
async function takeStep(
  context: ControllerContext,
  set: JsonObject,
  pods: ReadonlyMap<number, JsonObject>,
  history: RevisionHistory,
): Promise<void> {
  const first = countOf(set, "spec", "ordinals", "start");
  const wanted = Array.from({ length: countAt(set, "spec", "replicas") ?? 1 }, (_, index) => first + index);
  const isParallel = textOf(set, "spec", "podManagementPolicy") === "Parallel";
  const owner = { kind, object: set, component };
  for (const ordinal of wanted) {
    const pod = pods.get(ordinal);
    if (pod === undefined) await createOne(context, set, ordinal, history);
    else if (isFinished(pod) && !isTerminating(pod)) await deletePods(context, owner, [pod]);
    if (!isParallel && (pod === undefined || !isReady(pod) || isTerminating(pod))) return;
  }
  const wantedOrdinals = new Set(wanted);
  const surplus = [...pods].filter(([ordinal]) => !wantedOrdinals.has(ordinal)).sort(([a], [b]) => b - a);
  for (const [, pod] of surplus) {
    if (!isTerminating(pod)) await deletePods(context, owner, [pod]);
    if (!isParallel) return;
  }
  if (textOf(set, "spec", "updateStrategy", "type") === "OnDelete") return;
  const partition = countOf(set, "spec", "updateStrategy", "rollingUpdate", "partition");
  for (const ordinal of wanted.reverse()) {
    const pod = pods.get(ordinal);
    if (ordinal < partition || pod === undefined) break;
    if (hashOf(pod) !== history.hash && !isTerminating(pod)) {
      await deletePods(context, owner, [pod]);
      return;
    }
    if (!isReady(pod) || isTerminating(pod)) return;
  }
}

async function createOne(
  context: ControllerContext,
  set: JsonObject,
  ordinal: number,
  history: RevisionHistory,
): Promise<void> {
  const { client } = context;
  const name = `${nameOf(set)}-${ordinal}`;
  const claims = objectsAt(set, "spec", "volumeClaimTemplates");
  for (const claim of claims) await ensureClaim(client, set, claim, name);
  // Below the partition a Pod is recreated from the old revision.
  const partition = countOf(set, "spec", "updateStrategy", "rollingUpdate", "partition");
  const current = textOf(set, "status", "currentRevision");
  const old = ordinal < partition ? templateOfRevision(history, current) : undefined;
  const hash = old === undefined ? history.hash : current.slice(nameOf(set).length + 1);
  const pod = makePod({
    kind,
    owner: set,
    template: old ?? objectAt(set, "spec", "template") ?? {},
    name,
    generateName: `${nameOf(set)}-`,
    labels: {
      [revisionHashLabel]: hash,
      "statefulset.kubernetes.io/pod-name": name,
      "apps.kubernetes.io/pod-index": String(ordinal),
    },
    changeSpec(spec) {
      spec["hostname"] = name;
      const service = textOf(set, "spec", "serviceName");
      if (service !== "") spec["subdomain"] = service;
      const own = new Set(claims.map(nameOf));
      const others = objectsAt(spec, "volumes").filter((each) => !own.has(textOf(each, "name")));
      const mounted = claims.map((each) => ({
        name: nameOf(each),
        persistentVolumeClaim: { claimName: `${nameOf(each)}-${name}` },
      }));
      if (others.length + mounted.length > 0) spec["volumes"] = [...others.map((each) => copyJson(each)), ...mounted];
    },
  });
  try {
    await createPods(context, { kind, object: set, component }, [pod]);
  } catch (reason) {
    if (!isRefusal(reason, "AlreadyExists")) throw reason;
  }
}

async function ensureClaim(
  client: ControllerContext["client"],
  set: JsonObject,
  template: JsonObject,
  podName: string,
): Promise<void> {
  const namespace = namespaceOf(set);
  const name = `${nameOf(template)}-${podName}`;
  if (client.objects.get("persistentvolumeclaims", namespace, name) !== undefined) return;
  const labels = { ...objectAt(template, "metadata", "labels"), ...objectAt(set, "spec", "selector", "matchLabels") };
  try {
    await client.create(
      "persistentvolumeclaims",
      copyJson({ metadata: { name, namespace, labels }, spec: objectAt(template, "spec") ?? {} }),
    );
  } catch (reason) {
    if (!isRefusal(reason, "AlreadyExists")) throw reason;
  }
}

function setStatus(draft: DraftObject, pods: readonly JsonObject[], history: RevisionHistory, nowMs: number): void {
  const wanted = countAt(draft, "spec", "replicas") ?? 1;
  const here = pods.filter((pod) => !isFinished(pod));
  const living = here.filter((pod) => !isTerminating(pod));
  const tally = tallyPods(living, countOf(draft, "spec", "minReadySeconds"), nowMs);
  const updatedCount = living.filter((pod) => hashOf(pod) === history.hash).length;
  const isDone = updatedCount === wanted && here.length === wanted && tally.readyCount === wanted;
  const before = textOf(draft, "status", "currentRevision");
  const currentName = before === "" || isDone ? history.currentName : before;
  const currentHash = currentName.slice(nameOf(draft).length + 1);
  draft["status"] = {
    ...withoutEmpty({ observedGeneration: countOf(draft, "metadata", "generation") }),
    replicas: here.length,
    ...withoutEmpty({
      readyReplicas: tally.readyCount,
      currentReplicas: living.filter((pod) => hashOf(pod) === currentHash).length,
      updatedReplicas: updatedCount,
    }),
    currentRevision: currentName,
    updateRevision: history.currentName,
    collisionCount: countOf(draft, "status", "collisionCount"),
    availableReplicas: tally.availableCount,
  };
}
