// SPDX-License-Identifier: Apache-2.0
// A small hub that follows session.md to the letter and takes nothing on trust: what the agent's end is measured
// against.
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type ConnectRequest,
  ConnectRequestSchema,
  ConnectResponseSchema,
  DigestLevel,
  type Digests,
  type Flush,
  type KindDigest,
} from "../../../gen/flotilla/session/v1/session_pb.ts";
import { decodeRowBatch } from "../../../model/row-batch/decode.ts";
import { parseBucketCode, sessionBucketCount } from "../../../model/rows/bucket.ts";
import { BucketDigests, type Digest, isSameDigest, sumDigests } from "../../../model/rows/digest.ts";
import type { Hasher } from "../../../model/rows/hasher.ts";
import { bucketOf, differingBuckets, digestOf } from "../../../model/rows/testing/key-digests.ts";
import { ModelRows } from "../../../session/agent/testing/model-rows.ts";
import { ChunkJoiner } from "../../../session/chunks.ts";
import type { StreamEnd } from "../../../session/transport.ts";
import { zstd } from "./zstd-codec.ts";

type ResponseMessage = NonNullable<MessageInitShape<typeof ConnectResponseSchema>["message"]>;

/** What a test sets; it may be changed while the hub runs. */
export interface ModelHubSettings {
  hubName: string;
  heartbeatMs: number;
  creditBytes: number;
  maxMessageBytes: number;
  maxJoinedBytes: number;
  /** Sent instead of Welcome. */
  rejection: ResponseMessage | undefined;
  /** Nothing is answered any more, and nothing fails. */
  isFrozen: boolean;
  /** Flushes are made durable and the acknowledgement is not sent. */
  losesAcks: boolean;
  /** Rows are dropped when a flush is applied, so that digests never match. */
  forgetsRows: boolean;
}

/** One message up, as it came. */
export interface Received {
  readonly atMs: number;
  readonly session: number;
  readonly seq: number;
  readonly kind: string;
  readonly request: ConnectRequest;
}

/** One hub. What is in it is durable; `rows` outlives sessions. */
export class ModelHub {
  readonly settings: ModelHubSettings = {
    hubName: "hub",
    heartbeatMs: 5_000,
    creditBytes: 40_000,
    maxMessageBytes: 8_000,
    maxJoinedBytes: 10_000_000,
    rejection: undefined,
    isFrozen: false,
    losesAcks: false,
    forgetsRows: false,
  };
  /** A new incarnation may be wrong about the uids that are held until its digests have been compared. */
  rows = new ModelRows("lenient");
  incarnation = "";
  seq = 0;
  epoch = 0;
  sessionCount = 0;
  readonly received: Received[] = [];
  /** What an agent must not do, seen. */
  readonly faults: string[] = [];
  /** Bytes of all messages up. */
  receivedBytes = 0;
  /** Where the newest session can be spoken to. */
  say: (message: ResponseMessage) => Promise<void> = () => Promise.resolve();
  readonly #hasher: Hasher;
  readonly #nowMs: () => number;

  constructor(hasher: Hasher, nowMs: () => number) {
    this.#hasher = hasher;
    this.#nowMs = nowMs;
  }

  /** Runs the hub's end of one stream until it ends. */
  async serve(end: StreamEnd): Promise<void> {
    this.sessionCount += 1;
    const session = new ModelSession(this, this.sessionCount, end);
    try {
      for await (const bytes of end.receive) {
        if (this.settings.isFrozen) continue;
        this.receivedBytes += bytes.length;
        if (bytes.length > this.settings.maxMessageBytes) this.faults.push(`a message of ${bytes.length} bytes`);
        await session.take(bytes);
      }
    } catch (reason) {
      if (reason instanceof Error && reason.name === "FlotillaError") return;
      this.faults.push(String(reason));
    } finally {
      end.close();
    }
  }

  note(session: number, request: ConnectRequest): void {
    const kind = request.message.case ?? "none";
    this.received.push({ atMs: this.#nowMs(), session, seq: Number(request.seq), kind, request });
  }

  async apply(flush: Flush): Promise<void> {
    for (const part of flush.parts) {
      const bytes = await zstd.decompress(part.batch, 100_000_000);
      const batch = decodeRowBatch(bytes, this.#hasher);
      const replacedBucket = part.replacedBucket === 0 ? undefined : parseBucketCode(part.replacedBucket)?.bucket;
      const rows = this.settings.forgetsRows ? [] : [...batch.rows()];
      this.rows.apply({ resource: part.resource, replacedBucket, rows, deletes: batch.deletes() });
    }
  }

  digestOf(resource: string): Digest {
    return digestOf([...this.rows.kind(resource).values()].map((row) => row.rowHash));
  }

  bucketsOf(resource: string): BucketDigests {
    const digests = new BucketDigests(sessionBucketCount);
    for (const row of this.rows.kind(resource).values()) digests.add(bucketOf(row, sessionBucketCount), row.rowHash);
    return digests;
  }
}

class ModelSession {
  readonly #hub: ModelHub;
  readonly #number: number;
  readonly #end: StreamEnd;
  readonly #complete = new Set<string>();
  readonly #named = new Set<string>();
  readonly #joiner: ChunkJoiner;
  #state: "opened" | "challenged" | "live" | "left" = "opened";
  #incarnation = "";
  #unackedBytes = 0;
  #epoch = 0;
  /** The most that the agent may believe to have. */
  #granted = 0;

  constructor(hub: ModelHub, number: number, end: StreamEnd) {
    this.#hub = hub;
    this.#number = number;
    this.#end = end;
    this.#joiner = new ChunkJoiner(hub.settings.maxJoinedBytes);
  }

  async #say(message: ResponseMessage): Promise<void> {
    if (message.case === "credit") this.#granted = Math.max(this.#granted, Number(message.value.bytes ?? 0));
    await this.#end.send(toBinary(ConnectResponseSchema, create(ConnectResponseSchema, { message })));
  }

  #fault(fault: string): void {
    this.#hub.faults.push(`session ${this.#number}: ${fault}`);
  }

  async take(bytes: Uint8Array): Promise<void> {
    const request = fromBinary(ConnectRequestSchema, bytes);
    if (request.message.case === "chunk") {
      const whole = this.#joiner.add(request.message.value);
      if (whole !== undefined) await this.#take(fromBinary(ConnectRequestSchema, whole), whole.length);
      return;
    }
    if (this.#joiner.isOpen) this.#fault("a message came between two chunks");
    await this.#take(request, bytes.length);
  }

  async #take(request: ConnectRequest, byteCount: number): Promise<void> {
    this.#hub.note(this.#number, request);
    const { message } = request;
    if (this.#state === "opened" || this.#state === "challenged") {
      await this.#greet(message);
      return;
    }
    // A session that another has taken the place of can do nothing any more (SE11).
    if (this.#epoch !== this.#hub.epoch) return;
    if (this.#state === "left") this.#fault(`${message.case} after goodbye`);
    if (message.case !== "flush" && Number(request.seq) !== this.#hub.seq)
      this.#fault(`${message.case} says seq ${request.seq} after flush ${this.#hub.seq}`);
    this.#checkNamed(message);
    switch (message.case) {
      case "kindsFollowed":
        for (const resource of message.value.resources) this.#named.add(resource);
        return;
      case "flush":
        await this.#flush(Number(request.seq), message.value, byteCount);
        return;
      case "kindStatuses":
        for (const status of message.value.statuses) if (status.isComplete) this.#complete.add(status.resource);
        return;
      case "digests":
        await this.#compare(message.value);
        return;
      case "heartbeat":
        await this.#say({ case: "heartbeatAnswer", value: { number: message.value.number } });
        return;
      case "goodbye":
        this.#state = "left";
        return;
      case "tunnelFailures":
      case "accessReport":
      case "accessVerdicts":
      case "hintAnswers":
        return;
      default:
        this.#fault(`${message.case} while live`);
    }
  }

  /** Whatever a message is about has been named (SE56). */
  #checkNamed(message: ConnectRequest["message"]): void {
    const strange = kindsOf(message).find((resource) => resource !== "" && !this.#named.has(resource));
    if (strange !== undefined) this.#fault(`${message.case} of ${strange}, which was not named`);
  }

  async #greet(message: ConnectRequest["message"]): Promise<void> {
    const { settings } = this.#hub;
    if (message.case === "hello" && this.#state === "opened") {
      for (const resource of message.value.resources) this.#named.add(resource);
      this.#state = "challenged";
      this.#incarnation = message.value.incarnation;
      await this.#say({ case: "challenge", value: { nonce: new Uint8Array(32), hubName: settings.hubName } });
    } else if (message.case === "proof" && this.#state === "challenged") {
      if (settings.rejection !== undefined) {
        await this.#say(settings.rejection);
        this.#end.close();
        return;
      }
      this.#state = "live";
      this.#hub.say = (said) => this.#say(said);
      this.#granted = settings.creditBytes;
      this.#hub.epoch += 1;
      this.#epoch = this.#hub.epoch;
      await this.#say({
        case: "welcome",
        value: {
          protocol: 1,
          epoch: BigInt(this.#hub.epoch),
          durableIncarnation: this.#hub.incarnation,
          durableSeq: BigInt(this.#hub.seq),
          heartbeatMs: settings.heartbeatMs,
          limits: {
            creditBytes: BigInt(settings.creditBytes),
            maxMessageBytes: settings.maxMessageBytes,
            maxJoinedBytes: BigInt(settings.maxJoinedBytes),
          },
        },
      });
      if (this.#hub.incarnation !== this.#incarnation) this.#hub.seq = 0;
      this.#hub.incarnation = this.#incarnation;
    } else this.#fault(`${message.case} while ${this.#state}`);
  }

  async #flush(seq: number, flush: Flush, byteCount: number): Promise<void> {
    const { settings } = this.#hub;
    if (seq !== this.#hub.seq + 1) this.#fault(`flush ${seq} after ${this.#hub.seq}`);
    if (this.#unackedBytes > 0 && this.#unackedBytes + byteCount > this.#granted)
      this.#fault(`flush of ${byteCount} bytes over the credit`);
    for (const part of flush.parts)
      if (part.replacedBucket !== 0 && !this.#complete.has(part.resource))
        this.#fault(`a bucket of ${part.resource} is replaced, which is not complete`);
    await this.#hub.apply(flush);
    this.#hub.seq = seq;
    this.#unackedBytes = settings.losesAcks ? this.#unackedBytes + byteCount : 0;
    if (!settings.losesAcks) await this.#say({ case: "ack", value: { seq: BigInt(seq) } });
  }

  async #compare({ level, kinds }: Digests): Promise<void> {
    for (const { resource } of kinds)
      if (level !== DigestLevel.ROOT && !this.#complete.has(resource)) this.#fault(`digest of incomplete ${resource}`);
    if (level === DigestLevel.ROOT) {
      const held = sumDigests([...this.#complete].map((resource) => this.#hub.digestOf(resource)));
      if (!isSameDigest(held, toDigest(kinds[0])))
        await this.#say({ case: "needDigests", value: { level: DigestLevel.KINDS } });
    } else if (level === DigestLevel.KINDS) await this.#compareKinds(kinds);
    else for (const kind of kinds) await this.#compareBuckets(kind);
  }

  async #compareKinds(kinds: readonly KindDigest[]): Promise<void> {
    const differing = kinds.filter((kind) => !isSameDigest(this.#hub.digestOf(kind.resource), toDigest(kind)));
    const isEmpty = ({ resource }: KindDigest): boolean => this.#hub.rows.kind(resource).size === 0;
    for (const { resource } of differing.filter(isEmpty))
      await this.#say({ case: "needBuckets", value: { resource, all: true } });
    const resources = differing.filter((kind) => !isEmpty(kind)).map(({ resource }) => resource);
    if (resources.length > 0)
      await this.#say({ case: "needDigests", value: { level: DigestLevel.BUCKETS, resources } });
  }

  async #compareBuckets({ resource, bucketRowCounts, bucketSums }: KindDigest): Promise<void> {
    const told = bucketSums.map((sum, bucket) => ({ rowCount: bucketRowCounts[bucket] ?? 0, sum }));
    const buckets = differingBuckets(this.#hub.bucketsOf(resource).list(), told);
    if (buckets.length > 0) await this.#say({ case: "needBuckets", value: { resource, buckets } });
  }
}

function kindsOf(message: ConnectRequest["message"]): readonly string[] {
  if (message.case === "flush") return message.value.parts.map(({ resource }) => resource);
  if (message.case === "kindStatuses") return message.value.statuses.map(({ resource }) => resource);
  return message.case === "digests" ? message.value.kinds.map(({ resource }) => resource) : [];
}

function toDigest(kind: KindDigest | undefined): Digest {
  return { rowCount: Number(kind?.rowCount ?? 0n), sum: kind?.sum ?? 0n };
}
