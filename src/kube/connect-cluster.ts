// SPDX-License-Identifier: Apache-2.0
import type { LookupFunction } from "node:net";
import type { Clock } from "../base/time/clock.ts";
import type { ChannelPoolState } from "./connection/channel-pool.ts";
import { KubeConnection } from "./connection/kube-connection.ts";
import type { ClusterAccess } from "./credentials/cluster-access.ts";
import type { KubeCredentialTerm } from "./credentials/credential-term.ts";
import type { KubeError } from "./kube-error.ts";
import type { KubeAnswer, KubeObserver, KubeRequest, KubeSource } from "./kube-source.ts";

/** 10 s (N-43). */
const defaultConnectTimeoutMs = 10_000;

/** 30 s and 15 s, as in client-go: a half-open connection is detected within 45 s. */
const defaultPingIntervalMs = 30_000;
const defaultPingTimeoutMs = 15_000;

/** Options of a connection to a cluster. */
export interface ConnectClusterOptions {
  /** From `resolveContext`, `resolveRestrictedContext` or `inClusterAccess`. */
  readonly access: ClusterAccess;
  /** Loads the access again for `reload`. Without it the same access is used again. */
  readonly reread?: () => Promise<ClusterAccess>;
  readonly clock: Clock;
  /** `flotilla-agent/1.2.3`. */
  readonly userAgent: string;
  /** For HTTPS_PROXY and NO_PROXY; exec plugins inherit it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `--connect-timeout`, default 10 s. */
  readonly connectTimeoutMs?: number;
  /** Default 30 s. */
  readonly pingIntervalMs?: number;
  /** Default 15 s. */
  readonly pingTimeoutMs?: number;
  /** Default: the system's name lookup. */
  readonly lookup?: LookupFunction;
  readonly observer?: KubeObserver;
}

/** A connection to one cluster's API server. Close it, or its connection and timers stay. */
export interface ClusterConnection extends KubeSource, AsyncDisposable {
  readonly state: ChannelPoolState;
  /** The validity of the credential used last; undefined if not known. */
  readonly credentialTerm: KubeCredentialTerm | undefined;
  /**
   * Calls `listener` whenever an open connection broke, with all its requests: a reason to probe at once. Not
   * called for a failed request or a failed attempt to connect, which reject at their caller. The listener must not
   * throw. Returns a function that removes it.
   */
  onBroken(listener: (error: KubeError) => void): () => void;
  /**
   * Loads the access again and replaces the client. Every request of the old one, including watches, ends with `tcp`
   * . If the access cannot be loaded, rejects with CONFIG_INVALID and keeps the old client. Concurrent calls
   * share one reload.
   */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A connection to a cluster. It dials with the first request. Throws CONFIG_INVALID for a proxy variable that is not a
 * URL.
 */
export function connectCluster(options: ConnectClusterOptions): ClusterConnection {
  return new ReloadableConnection(options);
}

class ReloadableConnection implements ClusterConnection {
  readonly #options: ConnectClusterOptions;
  readonly #listeners = new Set<(error: KubeError) => void>();
  #current: KubeConnection;
  #reloading: Promise<void> | undefined;
  #lastTerm: KubeCredentialTerm | undefined;
  #isClosed = false;

  constructor(options: ConnectClusterOptions) {
    this.#options = options;
    this.#current = this.#connect(options.access);
  }

  get state(): ChannelPoolState {
    return this.#current.state;
  }

  get credentialTerm(): KubeCredentialTerm | undefined {
    return this.#current.hasCredential ? this.#current.credentialTerm : this.#lastTerm;
  }

  request(request: KubeRequest, signal: AbortSignal): Promise<KubeAnswer> {
    return this.#current.request(request, signal);
  }

  onBroken(listener: (error: KubeError) => void): () => void {
    // A new function, so that a listener added twice is called twice.
    const own = (error: KubeError): void => listener(error);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  reload(): Promise<void> {
    this.#reloading ??= this.#replace().finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#current.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #replace(): Promise<void> {
    const access = (await this.#options.reread?.()) ?? this.#options.access;
    if (this.#isClosed) return;
    const old = this.#current;
    // The new client has no credential yet; the last known term applies until it has.
    this.#lastTerm = this.credentialTerm;
    this.#current = this.#connect(access);
    await old.close();
  }

  #connect(access: ClusterAccess): KubeConnection {
    const { clock, userAgent, environment, connectTimeoutMs, pingIntervalMs, pingTimeoutMs, lookup, observer } =
      this.#options;
    return new KubeConnection({
      access,
      clock,
      userAgent,
      environment,
      connectTimeoutMs: connectTimeoutMs ?? defaultConnectTimeoutMs,
      pingIntervalMs: pingIntervalMs ?? defaultPingIntervalMs,
      pingTimeoutMs: pingTimeoutMs ?? defaultPingTimeoutMs,
      ...(lookup === undefined ? {} : { lookup }),
      ...(observer === undefined ? {} : { observer }),
      onBroken: (error) => {
        for (const listener of this.#listeners) listener(error);
      },
    });
  }
}
