// SPDX-License-Identifier: Apache-2.0
// Clusters without agents of their own: in the hub's process, through its own sessions and ingest, and as cheap as that
// can be.
import { KindState } from "../../src/gen/flotilla/session/v1/session_pb.ts";
import type { RegistrationRequest } from "../../src/hub/clusters/cluster-registration.ts";
import type { Fleet } from "../../src/hub/fleet/fleet.ts";
import { keyNamed, type ModelAgent } from "../../src/hub/fleet/testing/model-agent.ts";
import { agentOf } from "../../src/hub/fleet/testing/register.ts";
import { hasher } from "../../src/hub/fleet/testing/test-fleet.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import { parseResourceId } from "../../src/model/gvr.ts";
import type { Row } from "../../src/model/rows/row.ts";
import { RowSealer } from "../../src/model/rows/row-sealer.ts";
import { untilTrue } from "../support/bench-hub.ts";

const pods = "pods";
const kinds = [
  pods,
  "rbac.authorization.k8s.io/clusterroles",
  "rbac.authorization.k8s.io/clusterrolebindings",
  "rbac.authorization.k8s.io/roles",
  "rbac.authorization.k8s.io/rolebindings",
];
const regions = ["eu-1", "eu-2", "us-east", "us-west", "ap-south"];
const environments = ["prod", "staging", "dev"];
const teams = ["payments", "search", "platform", "data"];

/** Rows of each cluster at the start. */
const podCount = 20;

/** Twice as often as a hub asks for: a bench that is late loses no session. */
const beatEveryMs = 2_500;

/** How often changes are made; each time as many as are due. */
const turnMs = 20;

/** Of so many changes one is of the connection's state, the others of the counts of objects. */
const stateEvery = 10;

/**
 * From one changed cluster to the next: without a factor in common with their number, so that all are met, and
 * neighbours not one after another.
 */
const stride = 617;

/** Clusters that are lost at one moment: a change of state loses one and brings the one back that was lost longest. */
const lostCount = 50;

interface Modelled {
  readonly id: string;
  readonly agent: ModelAgent;
  /** A Pod in trouble, which comes and goes. */
  readonly extra: Row;
  hasExtra: boolean;
}

/** The clusters, which beat for as long as the process runs, and change when they are told to. */
export class ModelledFleet {
  readonly #clusters: readonly Modelled[];
  readonly #stateOf: (id: string) => string | undefined;
  /** In the order in which they were lost. */
  readonly #lost = new Set<Modelled>();
  #perSecond = 0;
  #dueCount = 0;
  #lastMs = performance.now();
  changeCount = 0;

  private constructor(clusters: readonly Modelled[], stateOf: (id: string) => string | undefined) {
    this.#clusters = clusters;
    this.#stateOf = stateOf;
    const batchCount = 25;
    let batch = 0;
    setInterval(() => {
      batch = (batch + 1) % batchCount;
      for (let at = batch; at < clusters.length; at += batchCount) this.#beat(clusters[at]);
    }, beatEveryMs / batchCount);
    setInterval(() => this.#turn(), turnMs);
  }

  /** Registers so many clusters and waits until all are live. */
  static async start(fleet: Fleet, count: number, stateOf: (id: string) => string | undefined): Promise<ModelledFleet> {
    const plans = Array.from({ length: count }, (_, index) => planOf(index));
    await Promise.all(plans.map((plan) => register(fleet, plan)));
    await untilTrue("the registrations", () => plans.every(({ id }) => fleet.clusters.get(id) !== undefined), 60_000);
    const clusters: Modelled[] = [];
    const modelled = new ModelledFleet(clusters, stateOf);
    for (const plan of plans) clusters.push(await arrive(fleet, plan));
    await untilTrue("the fleet to be live", () => clusters.every(({ id }) => stateOf(id) === "live"), 60_000);
    return modelled;
  }

  setRate(perSecond: number): void {
    this.#perSecond = perSecond;
    this.#dueCount = 0;
    this.#lastMs = performance.now();
  }

  #turn(): void {
    const nowMs = performance.now();
    this.#dueCount += ((nowMs - this.#lastMs) / 1_000) * this.#perSecond;
    this.#lastMs = nowMs;
    for (; this.#dueCount >= 1; this.#dueCount -= 1) this.#change();
  }

  #change(): void {
    this.changeCount += 1;
    const isOfState = this.changeCount % stateEvery === 0;
    const at = isOfState ? this.changeCount / stateEvery : this.changeCount;
    const cluster = this.#clusters[(at * stride) % this.#clusters.length];
    if (cluster === undefined) return;
    if (isOfState) this.#changeState(cluster);
    else changeCounts(cluster);
  }

  #changeState(cluster: Modelled): void {
    if (this.#lost.size >= lostCount) {
      const [back] = this.#lost;
      if (back === undefined) return;
      this.#lost.delete(back);
      this.#beat(back);
      back.agent.digestKinds(kinds);
    } else {
      this.#lost.add(cluster);
      this.#beat(cluster);
    }
  }

  #beat(cluster: Modelled | undefined): void {
    if (cluster === undefined) return;
    const isLost = this.#lost.has(cluster);
    cluster.agent.beat(isLost ? { apiServerFault: "tcp" } : {});
    // The hub asks the agent of a cluster that catches up for its digests; a change under way makes the first ones
    // differ.
    if (!isLost && this.#stateOf(cluster.id) === "catchingUp") cluster.agent.digestKinds(kinds);
  }
}

/** One Pod in trouble more, or one less. */
function changeCounts(cluster: Modelled): void {
  const { agent, extra, hasExtra } = cluster;
  cluster.hasExtra = !hasExtra;
  const { namespace, name, uid } = extra;
  const part = hasExtra ? { resource: pods, deletes: [{ namespace, name, uid }] } : { resource: pods, rows: [extra] };
  void agent.flush([part]);
}

interface ClusterPlan {
  readonly id: string;
  readonly metadata: RegistrationRequest["metadata"];
}

function planOf(index: number): ClusterPlan {
  const pick = (words: readonly string[], step: number): string => words[Math.floor(index / step) % words.length] ?? "";
  const [region, environment] = [pick(regions, 1), pick(environments, 5)];
  const id = `${environment}-${region}-${String(index).padStart(4, "0")}`;
  const labels = new Map([["team", pick(teams, 3)]]);
  return { id, metadata: { region, environment, version: "", kubernetesVersion: `v1.${34 + (index % 3)}.2`, labels } };
}

function register({ clusterRegistration }: Fleet, { id, metadata }: ClusterPlan): Promise<unknown> {
  return clusterRegistration.add(
    { clusterId: id, publicKey: keyNamed(id), clusterUid: `uid-${id}`, metadata },
    "agent",
  );
}

async function arrive(fleet: Fleet, { id, metadata }: ClusterPlan): Promise<Modelled> {
  const { region, environment } = metadata;
  const agent = agentOf(fleet, id, { metadata: { region, environment } });
  await agent.join();
  agent.statuses(kinds, true, KindState.WATCHING);
  const rows = Array.from({ length: podCount }, (_, at) => podOf(agent, id, `pod-${at}`));
  await agent.flush([{ resource: pods, rows }]);
  agent.beat();
  agent.digestKinds(kinds);
  return { id, agent, extra: podOf(agent, id, "extra", "unhealthy"), hasExtra: false };
}

function podOf(agent: ModelAgent, cluster: string, name: string, status: Row["status"] = "healthy"): Row {
  const sealer = new RowSealer(parseClusterId(cluster), parseResourceId(pods), hasher);
  const { rowHash: _, ...content } = agent.row(pods, { name });
  return sealer.seal({ ...content, status });
}
