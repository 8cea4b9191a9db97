// SPDX-License-Identifier: Apache-2.0
import type { LookupFunction } from "node:net";
import type { Clock } from "../base/clock.ts";
import type { ConnectionState } from "./connection/channel-pool.ts";
import { KubeConnection } from "./connection/kube-connection.ts";
import type { ClusterAccess } from "./credentials/cluster-access.ts";
import type { CredentialTerm } from "./credentials/credential-term.ts";
import type { KubeError } from "./kube-error.ts";
import type { KubeAnswer, KubeObserver, KubeRequest, KubeSource } from "./kube-source.ts";

/** 10 s (N-43). */
const defaultConnectTimeoutMs = 10_000;

/** 30 s and 15 s, as client-go does: a half-open connection is found within 45 s. */
const defaultPingIntervalMs = 30_000;
const defaultPingTimeoutMs = 15_000;

/** What a connection is made of. */
export interface ConnectClusterOptions {
  /** From `resolveContext`, `resolveRestrictedContext` or `inClusterAccess`. */
  readonly access: ClusterAccess;
  /** Where `reload` reads the access anew; without it the same one is used again. */
  readonly reread?: () => Promise<ClusterAccess>;
  readonly clock: Clock;
  /** `flotilla-agent/1.2.3`. */
  readonly userAgent: string;
  /** For HTTPS_PROXY and NO_PROXY, and what exec plugins inherit. */
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

/** One cluster's API server, for as long as it is of interest. Close it, or its connection and timers stay. */
export interface ClusterConnection extends KubeSource, AsyncDisposable {
  readonly state: ConnectionState;
  /** Until when the credential that was shown last counts; undefined where that is not known. */
  readonly credentialTerm: CredentialTerm | undefined;
  /**
   * Calls `listener` whenever an open connection broke, with every request on it: reason to probe at once. Not for the failure of a single
   * request or of an attempt to connect, which whoever asked is told. The listener must not throw. Call what it returns to stop.
   */
  onBroken(listener: (error: KubeError) => void): () => void;
  /**
   * Reads the access anew and goes on with a new client; every request of the old one, watches too, ends with `tcp`. Where the access cannot be read it rejects with
   * CONFIG_INVALID and the old client stays. Calls at the same time are one.
   */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** A connection to a cluster. Nothing is dialled before the first request. Throws CONFIG_INVALID for a proxy variable that is no URL. */
export function connectCluster(options: ConnectClusterOptions): ClusterConnection {
  return new ReloadableConnection(options);
}

class ReloadableConnection implements ClusterConnection {
  readonly #options: ConnectClusterOptions;
  readonly #listeners = new Set<(error: KubeError) => void>();
  #current: KubeConnection;
  #reloading: Promise<void> | undefined;
  #lastTerm: CredentialTerm | undefined;
  #isClosed = false;

  constructor(options: ConnectClusterOptions) {
    this.#options = options;
    this.#current = this.#connect(options.access);
  }

  get state(): ConnectionState {
    return this.#current.state;
  }

  get credentialTerm(): CredentialTerm | undefined {
    return this.#current.hasCredential ? this.#current.credentialTerm : this.#lastTerm;
  }

  request(request: KubeRequest, signal: AbortSignal): Promise<KubeAnswer> {
    return this.#current.request(request, signal);
  }

  onBroken(listener: (error: KubeError) => void): () => void {
    // A function of its own, so that one listener given twice is two.
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
    // Of a client that has not asked yet nothing is known; what the one before showed holds until then.
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
