// SPDX-License-Identifier: Apache-2.0
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { settle } from "../../../base/testing/manual-clock.ts";
import {
  ConnectRequestSchema,
  type ConnectResponse,
  ConnectResponseSchema,
  DigestLevel,
  KindState,
} from "../../../gen/flotilla/session/v1/session_pb.ts";
import { defaultKinds, derivedKinds } from "../../../kinds/all-kinds.ts";
import { resourceIdText } from "../../../model/gvr.ts";
import { bucketCode, parseBucketCode, sessionBucketCount } from "../../../model/rows/bucket.ts";
import { BucketDigests, sumDigests } from "../../../model/rows/digest.ts";
import type { Row, RowDelete } from "../../../model/rows/row.ts";
import { bucketOf, digestOf } from "../../../model/rows/testing/key-digests.ts";
import { splitIntoChunks } from "../../../session/chunks.ts";
import { proofBytes } from "../../../session/proof.ts";
import type { Fleet } from "../fleet.ts";
import { createStreamPair, type TestEnd } from "./stream-pair.ts";
import { hubName, plainCodec, signFor } from "./test-fleet.ts";
import { encodeRows, makeRow, type TestObject } from "./test-rows.ts";

type RequestInit = MessageInitShape<typeof ConnectRequestSchema>;
type MessageInit = NonNullable<RequestInit["message"]>;
type Case = NonNullable<ConnectResponse["message"]["case"]>;
type ValueOf<C extends Case> = Extract<ConnectResponse["message"], { case: C }>["value"];

/** Turns of the event loop that an answer may take; in memory a handful is enough. */
const maxTurnCount = 200;

export interface ModelAgentOptions {
  readonly fleet: Fleet;
  readonly cluster: string;
  readonly shard?: string;
  readonly agentId: string;
  readonly incarnation?: string;
  readonly publicKey: Uint8Array;
  readonly clusterUid?: string;
  readonly protocol?: number;
  /** The kinds that its Hello names; the built-in ones where left out. */
  readonly resources?: readonly string[];
  /** Whether it takes hints; false where left out, as an older agent. */
  readonly takesHints?: boolean;
  readonly metadata?: { readonly region?: string; readonly environment?: string; readonly version?: string };
}

const builtInResources = [...defaultKinds, ...derivedKinds].map(({ resource }) => resourceIdText(resource));

/** A public key that depends on its name only. */
export function keyNamed(name: string): Uint8Array {
  const key = new Uint8Array(32);
  new TextEncoder().encodeInto(name, key);
  return key;
}

/** Follows docs/spec/session.md by hand: a test says each step. It sends what it is told, right or wrong. */
export class ModelAgent {
  readonly #options: ModelAgentOptions;
  /** What has been sent, by resource and key: what its digests cover. */
  readonly #sent = new Map<string, Map<string, Row>>();
  #end: TestEnd | undefined;
  #inbox: ConnectResponse["message"][] = [];
  #beat = 0n;
  /** Number of the newest flush. */
  seq = 0;

  constructor(options: ModelAgentOptions) {
    this.#options = options;
  }

  get end(): TestEnd {
    if (this.#end === undefined) throw new Error("the agent has not dialled");
    return this.#end;
  }

  get incarnation(): string {
    return this.#options.incarnation ?? `inc-${this.#options.agentId}`;
  }

  dial(from = "10.0.0.1"): void {
    const { client, server } = createStreamPair();
    this.#end = client;
    this.#inbox = [];
    this.#options.fleet.accept(server, from);
    void this.#read(client);
  }

  send(message: MessageInit, seq = this.seq): void {
    const bytes = toBinary(
      ConnectRequestSchema,
      create(ConnectRequestSchema, { seq: BigInt(seq), collectedMsAgo: 7, message }),
    );
    this.sendBytes(bytes);
  }

  sendBytes(bytes: Uint8Array): void {
    // A stream that is closed refuses; the test looks at what the hub made of it.
    void this.end.send(bytes).catch(() => undefined);
  }

  /** The next message of that kind; others that came before it are left for later. Throws when none comes. */
  async next<C extends Case>(wanted: C): Promise<ValueOf<C>> {
    for (let turn = 0; turn < maxTurnCount; turn += 1) {
      const at = this.#inbox.findIndex((message) => message.case === wanted);
      const [found] = at === -1 ? [] : this.#inbox.splice(at, 1);
      if (found !== undefined) return found.value as ValueOf<C>;
      await settle();
    }
    const came = this.#inbox.map((message) => message.case).join(", ");
    throw new Error(`no ${wanted} came; there is: ${came}${this.end.isClosed ? "; closed" : ""}`);
  }

  /** How many messages of that kind wait unread. */
  count(wanted: Case): number {
    return this.#inbox.filter((message) => message.case === wanted).length;
  }

  hello(): void {
    const { cluster, shard = "", agentId, clusterUid = `uid-${cluster}`, protocol = 1, metadata = {} } = this.#options;
    const { resources = builtInResources, takesHints = false } = this.#options;
    const value = {
      protocol,
      clusterId: cluster,
      shard,
      agentId,
      incarnation: this.incarnation,
      agentVersion: "1.2.3",
      clusterUid,
      metadata,
      resources: [...resources],
      takesHints,
    };
    this.send({ case: "hello", value }, 0);
  }

  prove(nonce: Uint8Array, key = this.#options.publicKey): void {
    const { cluster, shard = "", agentId } = this.#options;
    const identity = { clusterId: cluster, shard, agentId, incarnation: this.incarnation };
    this.send({ case: "proof", value: { signature: signFor(key, proofBytes(identity, hubName, nonce)) } }, 0);
  }

  /** Dials and proves its key; the hub decides later. */
  async greet(from?: string): Promise<void> {
    this.dial(from);
    this.hello();
    const { nonce } = await this.next("challenge");
    this.prove(nonce);
  }

  /** Greets until the hub has decided. */
  async connect(from?: string): Promise<"welcome" | "rejected"> {
    await this.greet(from);
    for (let turn = 0; turn < maxTurnCount; turn += 1) {
      if (this.count("welcome") > 0) return "welcome";
      if (this.count("rejected") > 0) return "rejected";
      await settle();
    }
    throw new Error("neither Welcome nor Rejected came");
  }

  /** Connects and goes on from what is durable (SE15). */
  async join(from?: string): Promise<ValueOf<"welcome">> {
    await this.connect(from);
    const welcome = await this.next("welcome");
    this.seq = welcome.durableIncarnation === this.incarnation ? Number(welcome.durableSeq) : 0;
    return welcome;
  }

  row(resource: string, object: TestObject): Row {
    return makeRow(this.#options.cluster, resource, object);
  }

  /** Sends one flush; what it holds counts as sent. Answers its number. */
  async flush(parts: readonly FlushInit[]): Promise<number> {
    this.seq += 1;
    await this.sendFlush(this.seq, parts);
    for (const { resource, rows = [], deletes = [], bucket } of parts) {
      const sent = this.#sentOf(resource);
      for (const [key, row] of sent)
        if (bucket !== undefined && bucketOf(row, sessionBucketCount) === bucket) sent.delete(key);
      for (const gone of deletes) sent.delete(keyOf(gone));
      for (const row of rows) sent.set(keyOf(row), row);
    }
    return this.seq;
  }

  async sendFlush(seq: number, parts: readonly FlushInit[]): Promise<void> {
    this.send(await toFlush(parts), seq);
  }

  /** As `flush`, for rows alone and in chunks. */
  async flushInChunks(parts: readonly FlushInit[], partBytes: number): Promise<void> {
    this.seq += 1;
    const request = create(ConnectRequestSchema, { seq: BigInt(this.seq), message: await toFlush(parts) });
    for (const { bytes, isLast } of splitIntoChunks(toBinary(ConnectRequestSchema, request), partBytes))
      this.send({ case: "chunk", value: { bytes, isLast } });
  }

  /** Takes for sent what an earlier process of the cluster has: its list holds these rows. */
  holdAll(resource: string, rows: readonly Row[]): void {
    const sent = this.#sentOf(resource);
    sent.clear();
    for (const row of rows) sent.set(keyOf(row), row);
  }

  /** Names further kinds than its Hello did (SE56). */
  follow(resources: readonly string[]): void {
    this.send({ case: "kindsFollowed", value: { resources: [...resources] } });
  }

  statuses(resources: readonly string[], isComplete = true, state: KindState = KindState.WATCHING): void {
    const statuses = resources.map((resource) => ({ resource, state, version: "v1", isComplete }));
    this.send({ case: "kindStatuses", value: { statuses } });
  }

  digestRoot(resources: readonly string[]): void {
    const { rowCount, sum } = sumDigests(resources.map((resource) => this.#digest(resource)));
    const kinds = [{ rowCount: BigInt(rowCount), sum }];
    this.send({ case: "digests", value: { level: DigestLevel.ROOT, kinds } });
  }

  /** `grantsWait`: it has changed rows of RBAC kinds that it has not sent (SE48). */
  digestKinds(resources: readonly string[], grantsWait = false): void {
    const kinds = resources.map((resource) => {
      const { rowCount, sum } = this.#digest(resource);
      return { resource, rowCount: BigInt(rowCount), sum };
    });
    this.send({ case: "digests", value: { level: DigestLevel.KINDS, kinds, grantsWait } });
  }

  digestBuckets(resources: readonly string[]): void {
    const kinds = resources.map((resource) => {
      const buckets = new BucketDigests(sessionBucketCount);
      for (const row of this.#sentOf(resource).values()) buckets.add(bucketOf(row, sessionBucketCount), row.rowHash);
      const { rowCount, sum } = buckets.total();
      const all = buckets.list();
      return {
        resource,
        rowCount: BigInt(rowCount),
        sum,
        bucketRowCounts: all.map((bucket) => bucket.rowCount),
        bucketSums: all.map((bucket) => bucket.sum),
      };
    });
    this.send({ case: "digests", value: { level: DigestLevel.BUCKETS, kinds } });
  }

  /** Answers a NeedBuckets with the rows it has, in place of the buckets or all of them. */
  async mend({ resource, all, buckets }: ValueOf<"needBuckets">): Promise<void> {
    const rows = [...this.#sentOf(resource).values()];
    const parts: FlushInit[] = all
      ? [{ resource, rows }]
      : buckets.map((code) => {
          const bucket = parseBucketCode(code)?.bucket ?? -1;
          return { resource, bucket, rows: rows.filter((row) => bucketOf(row, sessionBucketCount) === bucket) };
        });
    await this.flush(parts);
  }

  beat(fields: { readonly apiServerFault?: string; readonly waitingRowCount?: bigint } = {}): bigint {
    this.#beat += 1n;
    this.send({ case: "heartbeat", value: { number: this.#beat, ...fields } });
    return this.#beat;
  }

  goodbye(): void {
    this.send({ case: "goodbye", value: { reason: "done" } });
  }

  #sentOf(resource: string): Map<string, Row> {
    const sent = this.#sent.get(resource) ?? new Map<string, Row>();
    this.#sent.set(resource, sent);
    return sent;
  }

  #digest(resource: string): { readonly rowCount: number; readonly sum: bigint } {
    return digestOf(Array.from(this.#sentOf(resource).values(), ({ rowHash }) => rowHash));
  }

  async #read(end: TestEnd): Promise<void> {
    try {
      for await (const bytes of end.receive) {
        if (this.#end === end) this.#inbox.push(fromBinary(ConnectResponseSchema, bytes).message);
      }
    } catch {
      // A broken stream is what the test wanted, or it looks for an answer and does not find it.
      return;
    }
  }
}

export interface FlushInit {
  readonly resource: string;
  readonly rows?: readonly Row[];
  readonly deletes?: readonly RowDelete[];
  /** Its number; the rows replace it. */
  readonly bucket?: number;
  /** In place of a batch. */
  readonly bytes?: Uint8Array;
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

async function toFlush(parts: readonly FlushInit[]): Promise<MessageInit> {
  const encoded = await Promise.all(
    parts.map(async ({ resource, rows = [], deletes = [], bucket, bytes }) => ({
      resource,
      replacedBucket: bucket === undefined ? 0 : bucketCode(sessionBucketCount, bucket),
      batch: bytes ?? (await plainCodec.compress(encodeRows(resource, rows, deletes))),
    })),
  );
  return { case: "flush", value: { parts: encoded } };
}
