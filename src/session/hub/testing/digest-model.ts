// SPDX-License-Identifier: Apache-2.0
import { parseBucketCode, sessionBucketCount } from "../../../model/rows/bucket.ts";
import { BucketDigests, sumDigests } from "../../../model/rows/digest.ts";
import { toRowHash } from "../../../model/rows/row.ts";
import { type DigestAsk, DigestComparer, type HeldDigests } from "../compare-digests.ts";
import type { DigestDepth, DigestSet } from "../parsed-request.ts";

export const kindNames = ["pods", "services"] as const;

/** Buckets that rows of the model are in, one row in each at the most. */
export const modelBucketCount = 4;

/** States that a row of the model can be in. */
export const modelHashCount = 4;

/** A row: its kind, its bucket, and its hash; undefined: none. */
type ModelRow = readonly [resource: string, bucket: number, hash: number | undefined];

type Rows = Map<string, Map<number, number>>;

interface ModelFlush {
  readonly kind: "flush";
  readonly parts: readonly { readonly resourceText: string; readonly replacedBucket: number; readonly row: ModelRow }[];
}

type Up = ModelFlush | ({ readonly kind: "digests" } & DigestSet);

/**
 * A hub that compares, an agent as the spec wants it (SE23 to SE27), and a stream each way. Each step is the test's.
 */
export class DigestModel {
  nowMs = 0;
  /** What the comparer said was diverged. */
  diverged: string | undefined;
  /** Asks for rows that were made while the one before was not answered. */
  readonly askedTwice: string[] = [];
  /** Asks for rows so far. */
  askedCount = 0;
  /** Codes of buckets that the agent is to replace, by resource. */
  readonly asks = new Map<string, Set<number>>();
  readonly #comparer: DigestComparer;
  readonly #complete = new Set<string>(kindNames);
  readonly #held: Rows;
  readonly #sent: Rows;
  readonly #rows: Rows;
  readonly #up: Up[] = [];
  readonly #down: DigestAsk[] = [];
  /** Buckets asked for whose replacement the hub has not applied. */
  readonly #unanswered = new Map<string, Set<number>>();
  #seq = 0;

  constructor(start: {
    readonly held: readonly ModelRow[];
    readonly sent: readonly ModelRow[];
    readonly heartbeatMs: number;
  }) {
    this.#comparer = new DigestComparer(start.heartbeatMs);
    this.#held = toRows(start.held);
    this.#sent = toRows(start.sent);
    this.#rows = toRows(start.sent);
  }

  /** Whether the hub holds what the cluster has. */
  get isEqual(): boolean {
    return isSame(this.#held, this.#rows);
  }

  change({ resource, bucket, hash }: { resource: string; bucket: number; hash: number | undefined }): void {
    put(this.#rows, [resource, bucket, hash]);
  }

  /** Replaces as many of the buckets that are asked for, and sends all other changes. */
  flush({ bucketCount = 2 } = {}): void {
    const parts: ModelFlush["parts"][number][] = [];
    for (const [resource, codes] of this.asks) {
      for (const code of [...codes].slice(0, bucketCount - parts.length)) {
        const bucket = parseBucketCode(code)?.bucket ?? -1;
        const row = [resource, bucket, this.#rows.get(resource)?.get(bucket)] as const;
        parts.push({ resourceText: resource, replacedBucket: code, row });
        codes.delete(code);
      }
      if (codes.size === 0) this.asks.delete(resource);
    }
    for (const resource of kindNames)
      for (let bucket = 0; bucket < modelBucketCount; bucket += 1) {
        const hash = this.#rows.get(resource)?.get(bucket);
        if (hash !== this.#sent.get(resource)?.get(bucket))
          parts.push({ resourceText: resource, replacedBucket: 0, row: [resource, bucket, hash] });
      }
    if (parts.length === 0) return;
    for (const { row } of parts) put(this.#sent, row);
    this.#seq += 1;
    this.#up.push({ kind: "flush", parts });
  }

  /** A scan. Rows that are owed differ, as is known: nothing is said then. */
  root(): void {
    if (this.asks.size === 0) this.#sendDigests("root", [...kindNames]);
  }

  kinds(): void {
    this.#sendDigests("kinds", [...kindNames]);
  }

  agentReads(): void {
    const ask = this.#down.shift();
    if (ask?.kind === "kinds") this.kinds();
    else if (ask?.kind === "buckets") this.#sendDigests("buckets", ask.resources);
    else if (ask?.all === true) this.#sent.delete(ask.resource);
    else if (ask !== undefined)
      this.asks.set(ask.resource, new Set([...(this.asks.get(ask.resource) ?? []), ...ask.codes]));
  }

  hubReads(): void {
    const message = this.#up.shift();
    if (message?.kind === "flush") this.#apply(message);
    else if (message !== undefined) this.#compare(message);
  }

  readAll(): void {
    while (this.#up.length + this.#down.length > 0) {
      this.hubReads();
      this.agentReads();
    }
  }

  /** Everything under way arrives, and scans follow until one finds nothing to mend. */
  rest(): void {
    for (let scanCount = 0; scanCount < 4; scanCount += 1) {
      this.root();
      this.readAll();
      while (this.asks.size > 0 || !isSame(this.#sent, this.#rows)) {
        this.flush();
        this.readAll();
      }
    }
  }

  /** The agent begins a list of the kind, and ends it: what it was asked for before is over. */
  relist(resource: string): void {
    for (const isComplete of [false, true]) {
      if (isComplete) this.#complete.add(resource);
      else this.#complete.delete(resource);
      this.#comparer.reported(this.#complete);
    }
  }

  #sendDigests(depth: DigestDepth, resources: readonly string[]): void {
    const kinds = resources.map((resource) => {
      const digests = digestsOf(this.#sent, resource);
      return { resource, digest: digests.total(), buckets: depth === "buckets" ? digests.list() : [] };
    });
    const root = [{ resource: "", digest: sumDigests(kinds.map(({ digest }) => digest)), buckets: [] }];
    this.#up.push({ kind: "digests", seq: this.#seq, depth, kinds: depth === "root" ? root : kinds });
  }

  #apply({ parts }: ModelFlush): void {
    for (const { row, resourceText, replacedBucket } of parts) {
      put(this.#held, row);
      this.#unanswered.get(resourceText)?.delete(replacedBucket);
    }
    this.#comparer.applied(parts, this.nowMs);
  }

  #compare(digests: DigestSet): void {
    const held: HeldDigests = {
      kind: (resource) => digestsOf(this.#held, resource).total(),
      buckets: (resource) => digestsOf(this.#held, resource).list(),
    };
    const { asks, equal, diverged } = this.#comparer.compare(digests, this.#complete, held, this.nowMs);
    for (const resource of equal) this.#unanswered.delete(resource);
    for (const ask of asks) if (ask.kind === "rows") this.#note(ask);
    this.#down.push(...asks);
    this.diverged ??= diverged;
  }

  #note({ resource, codes }: Extract<DigestAsk, { kind: "rows" }>): void {
    this.askedCount += 1;
    if ((this.#unanswered.get(resource)?.size ?? 0) > 0) this.askedTwice.push(resource);
    this.#unanswered.set(resource, new Set(codes));
  }
}

function toRows(list: readonly ModelRow[]): Rows {
  const rows: Rows = new Map();
  for (const row of list) put(rows, row);
  return rows;
}

function put(rows: Rows, [resource, bucket, hash]: ModelRow): void {
  const ofKind = rows.get(resource) ?? new Map<number, number>();
  rows.set(resource, ofKind);
  if (hash === undefined) ofKind.delete(bucket);
  else ofKind.set(bucket, hash);
}

function isSame(a: Rows, b: Rows): boolean {
  return kindNames.every((resource) => {
    for (let bucket = 0; bucket < modelBucketCount; bucket += 1)
      if (a.get(resource)?.get(bucket) !== b.get(resource)?.get(bucket)) return false;
    return true;
  });
}

/** The hash of each row is another power of two: no two sums of them are the same by chance. */
function digestsOf(rows: Rows, resource: string): BucketDigests {
  const digests = new BucketDigests(sessionBucketCount);
  const kindNumber = kindNames.findIndex((name) => name === resource);
  for (const [bucket, hash] of rows.get(resource) ?? []) {
    const power = (kindNumber * modelBucketCount + bucket) * modelHashCount + hash;
    digests.add(bucket, toRowHash(1n << BigInt(power)));
  }
  return digests;
}
