// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../../base/error.ts";
import type { LogFields, Logger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import type { AgentKey } from "../../../rpc/auth/ed25519.ts";
import type { EstablishIdentityOptions, IdentityStatus, KeyMaker } from "../establish-identity.ts";
import { type KeptIdentity, MemoryIdentityStore } from "./memory-identity-store.ts";
import { ModelJoinHub } from "./model-join-hub.ts";

/** A logger whose every word is kept. */
export function recordLog(): { readonly log: Logger; text(): string } {
  const lines: string[] = [];
  const write = (message: string, fields: LogFields = {}, error?: unknown): void => {
    let told = `${message} ${JSON.stringify(fields)}`;
    for (let link = error, depth = 0; link instanceof Error && depth < 16; link = link.cause, depth += 1)
      told += ` ${link.message}`;
    lines.push(told);
  };
  const log: Logger = { debug: write, info: write, warn: write, error: write, with: () => log };
  return { log, text: () => lines.join("\n") };
}

/** Keys that are texts: as good as real ones where nothing is signed, and a thousand times as fast. */
export function createModelKeys(): KeyMaker {
  let madeCount = 0;
  return {
    create: () => {
      madeCount += 1;
      return parseModelKey(`-----BEGIN PRIVATE KEY-----\nmodel-key-number-${madeCount}\n-----END PRIVATE KEY-----\n`);
    },
    parse: parseModelKey,
  };
}

/** The key of such a text; CONFIG_INVALID for any other. */
export function parseModelKey(pem: string): AgentKey {
  const number = /model-key-number-(\d+)/.exec(pem)?.[1];
  if (number === undefined) throw new FlotillaError("CONFIG_INVALID", "the agent's key is not a key of the model");
  const publicKey = new TextEncoder().encode(`public-${number}`);
  return { publicKey, toPem: () => pem, sign: () => Promise.resolve(new Uint8Array(0)) };
}

/** One cluster, its hub, and what is kept between the processes of its agent. */
export class IdentityRig {
  readonly clock = new ManualClock();
  readonly hub = new ModelJoinHub();
  readonly kept: KeptIdentity = { record: undefined, writeCount: 0 };
  readonly keys = createModelKeys();
  readonly statuses: IdentityStatus[] = [];
  readonly logged = recordLog();
  /** What the token source gives. */
  token: string | undefined = this.hub.issue("token-one");

  /** What one process is started with. */
  options(changes: Partial<EstablishIdentityOptions> = {}): EstablishIdentityOptions {
    return {
      clusterId: parseClusterId("east"),
      clusterUid: "uid-of-east",
      metadata: { region: "", environment: "", version: "", kubernetesVersion: "v1.36.3", labels: {} },
      store: new MemoryIdentityStore(this.kept),
      keys: this.keys,
      token: { where: "the test", load: () => Promise.resolve(this.token) },
      join: (request) => Promise.resolve(this.hub.join(request)),
      rotate: false,
      clock: this.clock,
      random: createSeededRandom(7),
      log: this.logged.log,
      backoff: { firstMs: 500, factor: 2, capMs: 30_000, stableMs: 60_000 },
      onStatus: (status) => this.statuses.push(status),
      ...changes,
    };
  }
}
