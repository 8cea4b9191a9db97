// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../../base/error.ts";
import { createInThreadPort } from "../../../base/in-thread-port.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock, settle } from "../../../base/testing/manual-clock.ts";
import type { Codec } from "../../../model/rows/codec.ts";
import { createHasher, type Hasher } from "../../../model/rows/hasher.ts";
import type { ProofVerifier } from "../../../session/proof.ts";
import { createStore } from "../../../store/create-store.ts";
import type { FleetLog, FleetLogEngine } from "../../../store/fleet-log/fleet-log.ts";
import type { Store } from "../../../store/store.ts";
import { MemoryEngine } from "../../../store/testing/memory-engine.ts";
import { MemoryFleetLog } from "../../../store/testing/memory-fleet-log.ts";
import { AuditLog } from "../../audit/audit-log.ts";
import { createInThreadIndex } from "../../index/testing/in-thread-index.ts";
import { SessionFeed } from "../../sessions/session-feed.ts";
import { createFleet, type Fleet, type FleetSettings } from "../fleet.ts";
import { CountedMetrics } from "./counted-metrics.ts";
import { RecordingObserver } from "./recording-observer.ts";

export const hubName = "hub-of-tests";
export const hasher: Hasher = await createHasher();

/** Leaves bytes as they are; its own mark in front, so that foreign bytes are noticed. */
export const plainCodec: Codec = {
  async compress(bytes) {
    const marked = new Uint8Array(bytes.length + 1);
    marked[0] = 0x7a;
    marked.set(bytes, 1);
    return marked;
  },
  async decompress(bytes, maxBytes) {
    if (bytes[0] !== 0x7a) throw new FlotillaError("MALFORMED", "these bytes are not compressed by us");
    if (bytes.length - 1 > maxBytes) throw new FlotillaError("TOO_LARGE", `more than ${maxBytes} bytes`);
    return bytes.slice(1);
  },
};

/** What stands for a signature: whoever knows the public key can make it, and no other key gives the same. */
export function signFor(publicKey: Uint8Array, bytes: Uint8Array): Uint8Array {
  const signed = new Uint8Array(publicKey.length + bytes.length);
  signed.set(publicKey);
  signed.set(bytes, publicKey.length);
  const signature = new Uint8Array(8);
  new DataView(signature.buffer).setBigUint64(0, hasher.hash64(signed));
  return signature;
}

const verifier: ProofVerifier = {
  async verify(publicKey, bytes, signature) {
    const right = signFor(publicKey, bytes);
    return right.length === signature.length && right.every((byte, at) => byte === signature[at]);
  },
};

/** What survives a restart of the hub. */
export interface TestDisk {
  readonly clock: ManualClock;
  readonly engine: MemoryEngine;
  readonly logEngine: FleetLogEngine;
}

export function createDisk(clock = new ManualClock()): TestDisk {
  return {
    clock,
    engine: new MemoryEngine({ clock, storeId: "st_test" }),
    logEngine: new MemoryFleetLog({ clock }),
  };
}

/** A running hub's fleet, with what a test looks at. */
export interface TestFleet {
  readonly fleet: Fleet;
  readonly store: Store;
  readonly audit: AuditLog;
  readonly fleetLog: FleetLog;
  readonly clock: ManualClock;
  readonly observer: RecordingObserver;
  readonly metrics: CountedMetrics;
  readonly disk: TestDisk;
  /** Tells the fleet to stop, and goes on. */
  abort(): void;
  /** Drains and stops; the clock is moved as far as that takes. */
  stop(): Promise<void>;
}

export interface TestFleetOptions {
  readonly disk?: TestDisk;
  readonly settings?: Partial<FleetSettings>;
  /** Stands between the fleet and its log. */
  readonly wrapLog?: (log: FleetLog) => FleetLog;
  readonly name?: string;
  /** Of a hub beside another on the same disk. */
  readonly hubId?: string;
  /** It follows what hubs beside it append. */
  readonly followMs?: number;
}

export async function startFleet(options: TestFleetOptions = {}): Promise<TestFleet> {
  const disk = options.disk ?? createDisk();
  const { clock } = disk;
  const store = await createStore(createInThreadPort(disk.engine), {
    clock,
    bookmarkMs: 365 * 86_400_000,
    ...(options.followMs === undefined ? {} : { pollMs: options.followMs }),
  });
  const port: FleetLog = createInThreadPort(disk.logEngine);
  const fleetLog = options.wrapLog?.(port) ?? port;
  const observer = new RecordingObserver();
  const sessionFeed = new SessionFeed();
  sessionFeed.subscribe(observer.handlers);
  const metrics = new CountedMetrics();
  const audit = new AuditLog({ store, clock, log: silentLogger });
  const given = {
    store,
    fleetLog,
    clock,
    random: createSeededRandom(options.name ?? "fleet"),
    log: silentLogger,
    metrics,
    index: createInThreadIndex({
      codec: plainCodec,
      hasher,
      pause: () => clock.sleep(0),
      ...(options.settings?.clusterLimits === undefined ? {} : { limits: options.settings.clusterLimits }),
    }),
    verifier,
    hubName,
    ...(options.hubId === undefined ? {} : { hubId: options.hubId }),
    ...(options.followMs === undefined ? {} : { followMs: options.followMs }),
    ...(options.settings === undefined ? {} : { settings: options.settings }),
  };
  const fleet = createFleet(given, { audit, authorizer: { isAllowed: () => false }, sessionFeed });
  const stopping = new AbortController();
  const running = fleet.run(stopping.signal);
  await fleet.clusters.loaded;
  await settle();
  return {
    fleet,
    audit,
    store,
    fleetLog,
    clock,
    observer,
    metrics,
    disk,
    abort: () => stopping.abort(new Error("done")),
    async stop() {
      stopping.abort(new Error("done"));
      await clock.advance(10_000);
      await running;
    },
  };
}
