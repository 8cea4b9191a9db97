// SPDX-License-Identifier: Apache-2.0
// A hub's fleet with its page on a manual clock, with agents that a test plays by hand and viewers that keep what they
// are shown.

import { createClient, createRouterTransport } from "@connectrpc/connect";
import { createInThreadPort } from "../../../base/in-thread-port.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock, settle } from "../../../base/testing/manual-clock.ts";
import { PageService } from "../../../gen/flotilla/page/v1/page_pb.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { parseResourceId } from "../../../model/gvr.ts";
import { rbacResources } from "../../../model/rbac-resources.ts";
import type { Row } from "../../../model/rows/row.ts";
import { RowSealer } from "../../../model/rows/row-sealer.ts";
import type { Status } from "../../../model/status.ts";
import { mastersGroup } from "../../../rbac/authorizer-chain.ts";
import { type CallAuthorizer } from "../../../rpc/auth/authorize-call.ts";
import { toConnectError } from "../../../rpc/rpc-error.ts";
import { type Caller, callerKey } from "../../../rpc/server/call-context.ts";
import { createStore } from "../../../store/create-store.ts";
import { AuditLog } from "../../audit/audit-log.ts";
import { CountedMetrics } from "../../fleet/testing/counted-metrics.ts";
import { keyNamed, type ModelAgent, type ModelAgentOptions } from "../../fleet/testing/model-agent.ts";
import { agentOf, noMetadata } from "../../fleet/testing/register.ts";
import { createDisk, hasher, hubName, plainCodec, signFor, type TestDisk } from "../../fleet/testing/test-fleet.ts";
import { createHubFleet, type HubFleet, type HubFleetOptions } from "../../hub-fleet.ts";
import { createInThreadIndex } from "../../index/testing/in-thread-index.ts";
import { TestViewer } from "./test-viewer.ts";

export const pods = "pods";

/** What a user may see: clusters by name, or all; `objects` of them or not. */
export interface PageGrant {
  readonly clusters: "all" | readonly string[];
  readonly seesObjects?: boolean;
}

/** What an agent that comes says of itself beside its region. */
type ArrivalOptions = Pick<ModelAgentOptions, "incarnation" | "resources" | "takesHints">;

/** Judges by a table of grants that a test may change; asks are counted. */
export class TestAuthorizer implements CallAuthorizer {
  readonly grants = new Map<string, PageGrant>();
  askCount = 0;

  isAllowed: CallAuthorizer["isAllowed"] = ({ user }, request) => {
    this.askCount += 1;
    const grant = this.grants.get(user);
    if (grant === undefined || request.kind !== "resource") return false;
    if (request.resource === "rows") return grant.seesObjects ?? false;
    return request.name !== "" && (grant.clusters === "all" || grant.clusters.includes(request.name));
  };
}

export class PageRig {
  readonly disk: TestDisk;
  readonly clock: ManualClock;
  readonly metrics = new CountedMetrics();
  readonly authorizer = new TestAuthorizer();
  readonly hub: HubFleet;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #agents = new Map<string, ModelAgent>();

  private constructor(hub: (rig: PageRig) => HubFleet, disk: TestDisk) {
    this.disk = disk;
    this.clock = disk.clock;
    this.authorizer.grants.set("root", { clusters: "all", seesObjects: true });
    this.authorizer.grants.set("guest", { clusters: "all" });
    this.hub = hub(this);
    this.#running = this.hub.run(this.#stopping.signal);
  }

  static async start(
    disk: TestDisk = createDisk(new ManualClock()),
    access: Pick<HubFleetOptions, "samplesPerMinute" | "authorizerMode"> = {},
  ): Promise<PageRig> {
    const { clock } = disk;
    const store = await createStore(createInThreadPort(disk.engine), { clock, bookmarkMs: 365 * 86_400_000 });
    const rig = new PageRig(
      ({ metrics, authorizer }) =>
        createHubFleet(
          {
            store,
            fleetLog: createInThreadPort(disk.logEngine),
            clock,
            random: createSeededRandom(`page at ${clock.nowMs()}`),
            log: silentLogger,
            metrics,
            index: createInThreadIndex({ codec: plainCodec, hasher, clock, pause: () => clock.sleep(0) }),
            verifier: {
              verify: async (publicKey, bytes, signature) => {
                const right = signFor(publicKey, bytes);
                return right.length === signature.length && right.every((byte, at) => byte === signature[at]);
              },
            },
            hubName,
            hubCa: () => "",
            settings: {},
            thresholds: {},
            ...access,
          },
          { audit: new AuditLog({ store, clock, log: silentLogger }), authorizer },
        ),
      disk,
    );
    await rig.hub.fleet.clusters.loaded;
    await settle();
    return rig;
  }

  /** Registers a cluster, in a region. */
  async register(name: string, region = ""): Promise<void> {
    const metadata = { ...noMetadata, region };
    const wish = { clusterId: name, publicKey: keyNamed(name), clusterUid: `uid-${name}`, metadata };
    await this.hub.fleet.clusterRegistration.add(wish, "agent");
    await settle();
  }

  /** Registers the cluster where it is not, and lets its agent come and prove all it has. */
  async arrive(name: string, region = "", options: ArrivalOptions = {}): Promise<ModelAgent> {
    if (this.hub.fleet.clusters.get(name) === undefined) await this.register(name, region);
    const agent = agentOf(this.hub.fleet, name, { metadata: { region }, ...options });
    this.#agents.set(name, agent);
    await agent.join();
    agent.statuses([pods, ...rbacResources]);
    agent.beat();
    agent.digestKinds([pods, ...rbacResources]);
    await settle();
    await settle();
    return agent;
  }

  /** A row of a Pod in that status, for its agent to send. */
  pod(cluster: string, name: string, status: Status, namespace = "default"): Row {
    const sealer = new RowSealer(parseClusterId(cluster), parseResourceId(pods), hasher);
    const { rowHash: _, ...content } = this.agent(cluster).row(pods, { name, namespace });
    return sealer.seal({ ...content, status, reason: "Because", message: `${name} is ${status}` });
  }

  /** Lets the cluster's agent send these rows, and the hub count them. */
  async send(cluster: string, ...rows: readonly Row[]): Promise<void> {
    await this.agent(cluster).flush([{ resource: pods, rows }]);
    await settle();
    await this.clock.advance(1_000);
  }

  agent(name: string): ModelAgent {
    const agent = this.#agents.get(name);
    if (agent === undefined) throw new Error(`no agent of ${name} came`);
    return agent;
  }

  /** Cuts the agent's stream. */
  async lose(name: string): Promise<void> {
    this.agent(name).end.close();
    await settle();
  }

  stateOf(name: string): string | undefined {
    return this.hub.health.list().find(({ cluster }) => cluster === name)?.connection.state;
  }

  /**
   * A user with a token, whose streams and calls are in this process. Every cluster shows it all objects, unless it has
   * other groups.
   */
  viewer(user: string, tokenId = `tok_${user}`, groups: readonly string[] = [mastersGroup]): TestViewer {
    const caller: Caller = { tokenId, subject: { user, groups }, ended: new AbortController().signal };
    const entry = this.hub.services.find(({ service }) => service.typeName === PageService.typeName);
    if (entry === undefined) throw new Error("the hub does not serve the page");
    const transport = createRouterTransport((router) => void router.service(entry.service, entry.implementation), {
      router: {
        interceptors: [
          (next) => async (request) => {
            request.contextValues.set(callerKey, caller);
            const answer = await next(request).catch((reason: unknown) => {
              throw toConnectError(reason, "req_test");
            });
            return answer.stream ? { ...answer, message: withWireErrors(answer.message) } : answer;
          },
        ],
      },
    });
    return new TestViewer(createClient(PageService, transport), this.clock);
  }

  /** Lets time pass while these agents beat. */
  async advance(byMs: number, names: Iterable<string> = [...this.#agents.keys()]): Promise<void> {
    for (let leftMs = byMs; leftMs > 0; leftMs -= 2_500) {
      await this.clock.advance(Math.min(2_500, leftMs));
      for (const name of names) if (!this.agent(name).end.isClosed) this.agent(name).beat();
      await settle();
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("done"));
    await this.clock.advance(10_000);
    await this.#running;
  }
}

/** Failures as the wire has them. */
export async function* withWireErrors<T>(messages: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* messages;
  } catch (reason) {
    throw toConnectError(reason, "req_test");
  }
}
