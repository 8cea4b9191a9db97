// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { put, remove, type Store } from "../../store/store.ts";
import { joinCodes, joinTokens } from "../../store/tables.ts";
import { type Actor, hubActor } from "../audit/audit-record.ts";
import type { ClusterRegistration } from "../clusters/cluster-registration.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { ClaimStore } from "../sessions/claim-store.ts";
import { isSecret } from "../tokens/token-text.ts";
import {
  codeLifeMs,
  codeTokenLifeMs,
  issueCode,
  type JoinCodeRecord,
  parseCode,
  toJoinCode,
  toJoinCodeValue,
  tokenOfCode,
} from "./join-code.ts";

/** The parameters of a new code. */
export interface WantedJoinCode {
  readonly clusterId: string;
  readonly region: string;
  readonly environment: string;
  readonly objectReads: boolean;
  readonly needsApproval: boolean;
}

export interface JoinCodesOptions {
  readonly store: Store;
  readonly registry: Pick<ClusterRegistry, "load">;
  readonly claims: Pick<ClaimStore, "load">;
  readonly clusterRegistration: Pick<ClusterRegistration, "joinTokens">;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Maximum codes that can still be used. Callers who can create codes can create tokens too, so this bounds mistakes,
 * not attacks.
 */
const maxCodeCount = 1_000;

/** Creates codes and exchanges them for their join tokens (IN12). */
export class JoinCodes {
  readonly #options: JoinCodesOptions;

  constructor(options: JoinCodesOptions) {
    this.#options = options;
  }

  /**
   * Creates a code for one cluster, and the join token for its manifest. The text is returned once and never stored.
   * Throws INVALID_ARGUMENT for an invalid cluster id, ALREADY_EXISTS for a registered one, OVERLOADED when too many
   * codes are open.
   */
  async create(
    wanted: WantedJoinCode,
    by: Actor = hubActor,
  ): Promise<{ readonly record: JoinCodeRecord; readonly text: string }> {
    const { store, registry, clusterRegistration, clock, random } = this.#options;
    const cluster = parseClusterId(wanted.clusterId);
    if ((await registry.load(cluster)) !== undefined) throw registered(cluster);
    await this.#dropEnded();
    const issued = issueCode(createId("tok", random), random);
    const { region, environment, objectReads, needsApproval } = wanted;
    const createdAtMs = clock.wallMs();
    const record = {
      id: issued.id,
      secretHash: issued.secretHash,
      cluster,
      region,
      environment,
      objectReads,
      createdAtMs,
      expiresAtMs: createdAtMs + codeLifeMs,
      fetchCount: 0,
      fetched: undefined,
    };
    const description = `join URL for ${cluster}`;
    const token = { usesLeft: 1, namePattern: cluster, needsApproval, description, ttlMs: codeTokenLifeMs };
    await clusterRegistration.joinTokens.create(token, by, issued.token);
    await store.commit([put(joinCodes, [store.workspace, issued.id], toJoinCodeValue(record), "absent")]);
    return { record, text: issued.text };
  }

  /**
   * The code's record and the text of its join token; records the fetch. Undefined for a code that is unknown, expired,
   * revoked, or whose cluster has had its first session. The answer is the same for all, so that guessing reveals
   * nothing.
   */
  async exchange(
    text: string,
    from: string,
  ): Promise<{ readonly record: JoinCodeRecord; readonly token: string } | undefined> {
    const { store, clock } = this.#options;
    const parsed = parseCode(text);
    const row = parsed && (await store.get(joinCodes, [store.workspace, parsed.id]));
    const matches = isSecret(parsed?.secret ?? "", row?.value.secret_hash);
    if (parsed === undefined || row === undefined || !matches) return undefined;
    const found = toJoinCode(parsed.id, row.value);
    if (found.expiresAtMs <= clock.wallMs() || (await this.#isUsed(found))) return undefined;
    const record = { ...found, fetchCount: found.fetchCount + 1, fetched: { atMs: clock.wallMs(), from } };
    // Of two concurrent fetches, only one is recorded.
    await store.commit([put(joinCodes, [store.workspace, parsed.id], toJoinCodeValue(record), row.revision)]);
    return { record, token: tokenOfCode(parsed.id, parsed.secret).text };
  }

  /** Undefined for an unknown code or one deleted after its token expired. */
  async load(id: string): Promise<JoinCodeRecord | undefined> {
    const { store } = this.#options;
    const row = await store.get(joinCodes, [store.workspace, id]);
    return row === undefined ? undefined : toJoinCode(id, row.value);
  }

  /** A used token of a cluster without a session still counts as unused: its agent has not started yet. */
  async #isUsed({ id, cluster }: JoinCodeRecord): Promise<boolean> {
    const { store, registry, claims } = this.#options;
    const token = await store.get(joinTokens, [store.workspace, id]);
    if (token === undefined) return true;
    if ((await registry.load(cluster)) === undefined) return token.value.uses_left < 1;
    return (await claims.load(cluster, "")) !== undefined;
  }

  /** Deletes codes whose token has expired too. Throws OVERLOADED when too many remain. */
  async #dropEnded(): Promise<void> {
    const { store, clock } = this.#options;
    const { rows } = await store.list(joinCodes, { prefix: [store.workspace], limit: maxCodeCount });
    const goneMs = clock.wallMs() - codeTokenLifeMs;
    const ended = rows.filter(({ value }) => value.created_at_ms <= goneMs);
    if (ended.length > 0) await store.commit(ended.map(({ key }) => remove(joinCodes, key)));
    if (rows.length - ended.length >= maxCodeCount)
      throw new FlotillaError(
        "OVERLOADED",
        `${maxCodeCount} join URLs are open; wait until some expire, within an hour`,
      );
  }
}

function registered(cluster: string): FlotillaError {
  return new FlotillaError(
    "ALREADY_EXISTS",
    `cluster ${cluster} is already registered; choose another id, or remove it with \`flotilla cluster remove ${cluster}\``,
    { ids: { cluster } },
  );
}
