// SPDX-License-Identifier: Apache-2.0
import type { LookupFunction } from "node:net";
import { throwIfAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { ClusterAccess } from "../credentials/cluster-access.ts";
import { type Credential, type CredentialSource, isSameCredential, secretsOf } from "../credentials/credential.ts";
import { type KubeCredentialTerm, termOf } from "../credentials/credential-term.ts";
import { cutText } from "../credentials/redact-secrets.ts";
import { createCredentialSource } from "../credentials/user-credential.ts";
import { KubeError } from "../kube-error.ts";
import type { KubeAnswer, KubeObserver, KubeRequest, KubeSource } from "../kube-source.ts";
import { toAnswerError } from "./answer-error.ts";
import type { WireAnswer } from "./channel.ts";
import { ChannelPool, type ChannelPoolState, closedError } from "./channel-pool.ts";
import { chooseProxy } from "./proxy.ts";
import { decodedStream, readStart, readWhole } from "./read-answer-body.ts";
import { requestHeaders } from "./request-headers.ts";
import { RequestScope } from "./request-scope.ts";

/** KU3: Status messages have some hundred bytes; a proxy's error page may have any size. */
const failedBodyBoundBytes = 64 * 1024;

/** Options of a connection to one API server. */
export interface KubeConnectionOptions {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** `flotilla-agent/1.2.3`. */
  readonly userAgent: string;
  /** For DNS, TCP, proxy and TLS together (`--connect-timeout`). */
  readonly connectTimeoutMs: number;
  /** Time between an answered PING and the next. */
  readonly pingIntervalMs: number;
  /** A PING without answer in this time breaks the connection. */
  readonly pingTimeoutMs: number;
  /** For HTTPS_PROXY and NO_PROXY; exec plugins inherit it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: the system's name lookup. */
  readonly lookup?: LookupFunction;
  readonly observer?: KubeObserver;
  /**
   * Called when an open HTTP/2 connection broke, with all its requests: a reason to probe the server at once.
   * Must not throw.
   */
  readonly onBroken?: (error: KubeError) => void;
}

/**
 * Requests to one API server with one credential, over HTTP/2 or HTTP/1.1 (KU1 to KU5). Connects with the first
 * request, and after a failure again with the next one.
 */
export class KubeConnection implements KubeSource {
  readonly #options: KubeConnectionOptions;
  readonly #credentials: CredentialSource;
  readonly #pool: ChannelPool;
  #used: { readonly credential: Credential; readonly term: KubeCredentialTerm | undefined } | undefined;
  #isClosed = false;

  /** Throws CONFIG_INVALID if the environment names a proxy that is not a URL. */
  constructor(options: KubeConnectionOptions) {
    const { access, clock, environment, connectTimeoutMs, pingIntervalMs, pingTimeoutMs, lookup } = options;
    this.#options = options;
    this.#credentials = createCredentialSource(access, { clock, environment });
    this.#pool = new ChannelPool({
      access,
      clock,
      connectTimeoutMs,
      pingIntervalMs,
      pingTimeoutMs,
      lookup,
      proxy: chooseProxy(access.server, access.proxyUrl, environment),
      onBroken: (error) => {
        if (!this.#isClosed) options.onBroken?.(error);
      },
    });
  }

  get state(): ChannelPoolState {
    return this.#pool.state;
  }

  /** Whether a credential has been loaded. */
  get hasCredential(): boolean {
    return this.#used !== undefined;
  }

  /**
   * The validity of the credential used last. Undefined before the first one, if it has no known end, and if an exec
   * plugin renews it.
   */
  get credentialTerm(): KubeCredentialTerm | undefined {
    return this.#used?.term;
  }

  async request(request: KubeRequest, signal: AbortSignal): Promise<KubeAnswer> {
    throwIfAborted(signal);
    const { clock, access, observer } = this.#options;
    const what = `${request.method} ${cutText(request.path, 200)} of ${cutText(access.name, 80)}`;
    const scope = new RequestScope({ clock, deadlineMs: request.deadlineMs, signal, what });
    const fail = (reason: unknown): Error => {
      const error = scope.toError(reason);
      scope.end();
      if (error instanceof KubeError) observer?.failed(request, error, scope.tookMs);
      return error;
    };
    try {
      if (this.#isClosed) throw closedError();
      const { answer, credential } = await this.#sendWithCredential(request, scope.signal);
      if (answer.status >= 400) {
        scope.holdBody(answer.cancel, false);
        throw await this.#toAnswerError(answer, what, credential);
      }
      const isWatch = request.isWatch === true;
      scope.holdBody(answer.cancel, isWatch);
      answer.stream.once("close", () => scope.release());
      checkAnswer(answer);
      const body = readAnswer(answer, {
        fail,
        end: () => {
          scope.end();
          if (!isWatch) observer?.answered(request, answer.status, scope.tookMs);
        },
      });
      if (isWatch) observer?.answered(request, answer.status, scope.tookMs);
      // These answers have no body, so callers need not read it.
      if (answer.status === 204 || answer.status === 304) await drain(body);
      return { status: answer.status, headers: answer.headers, body };
    } catch (reason) {
      throw fail(reason);
    }
  }

  /**
   * Ends every request with `tcp`, and closes the credential source. When it resolves, only sockets that the system is
   * still closing remain.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#credentials.close();
    await this.#pool.close();
  }

  /**
   * Sends the request with the current credential, and returns the answer whatever its status. A GET answered with 401
   * is sent once more if a new credential is available (KU6).
   */
  async #sendWithCredential(
    request: KubeRequest,
    signal: AbortSignal,
  ): Promise<{ answer: WireAnswer; credential: Credential }> {
    const credential = await this.#loadCredential(signal);
    const answer = await this.#send(request, credential, signal);
    if (answer.status !== 401) return { answer, credential };
    this.#credentials.refuse(credential);
    if (request.method !== "GET") return { answer, credential };
    try {
      const renewed = await this.#loadCredential(signal);
      if (isSameCredential(renewed, credential)) return { answer, credential };
      answer.cancel();
      const second = await this.#send(request, renewed, signal);
      if (second.status === 401) this.#credentials.refuse(renewed);
      return { answer: second, credential: renewed };
    } catch (reason) {
      answer.cancel();
      throw reason;
    }
  }

  async #loadCredential(signal: AbortSignal): Promise<Credential> {
    try {
      const credential = await this.#credentials.load(signal);
      this.#noteTerm(credential);
      return credential;
    } catch (reason) {
      if (reason instanceof KubeError || signal.aborted) throw reason;
      throw new KubeError("unauthorized", "the credential cannot be loaded", { cause: reason });
    }
  }

  #noteTerm(credential: Credential): void {
    if (this.#used !== undefined && isSameCredential(this.#used.credential, credential)) return;
    this.#used = { credential, term: isRenewedByPlugin(this.#options.access) ? undefined : termOf(credential) };
  }

  async #send(request: KubeRequest, credential: Credential, signal: AbortSignal): Promise<WireAnswer> {
    const { access, userAgent } = this.#options;
    const query = new URLSearchParams(request.query).toString();
    const path = `${access.server.pathname.replace(/\/+$/, "")}${request.path}`;
    const wire = {
      method: request.method,
      path: query === "" ? path : `${path}?${query}`,
      authority: access.server.host,
      headers: requestHeaders(request, access, credential, userAgent),
      body: request.body,
    };
    return await this.#pool.send(wire, credential.clientCertificate, signal);
  }

  async #toAnswerError(answer: WireAnswer, what: string, credential: Credential): Promise<KubeError> {
    const body = await readStart(answer, failedBodyBoundBytes);
    return toAnswerError({
      status: answer.status,
      headers: answer.headers,
      body,
      what,
      secrets: secretsOf(credential),
    });
  }
}

/** True if the credential comes from an exec plugin. The plugin renews it, so its expiry is not reported. */
function isRenewedByPlugin({ user }: ClusterAccess): boolean {
  const { exec, tokenFile, token, basicAuth } = user;
  return exec !== undefined && tokenFile === undefined && token === undefined && basicAuth === undefined;
}

/**
 * An HTML page or a redirect is not an answer of an API server. A login page in front of it answers 200 to everything.
 */
function checkAnswer({ status, headers }: WireAnswer): void {
  const type = headers.get("content-type") ?? "";
  if (/^\s*text\/html\b/i.test(type)) {
    throw new KubeError("malformed", "the answer is an HTML page, so this is not an API server", { status });
  }
  if (status < 200 || (status >= 300 && status !== 304)) {
    throw new KubeError("malformed", `the answer has status ${status}, which an API server does not send here`, {
      status,
    });
  }
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of body);
}

/** The body for one reader, once. However the reader leaves, the request is released. */
async function* readAnswer(
  answer: WireAnswer,
  callbacks: { readonly fail: (reason: unknown) => Error; readonly end: () => void },
): AsyncGenerator<Uint8Array> {
  let failure: Error | undefined;
  try {
    yield* readWhole(answer, decodedStream(answer));
  } catch (reason) {
    failure = callbacks.fail(reason);
    throw failure;
  } finally {
    if (failure === undefined) callbacks.end();
  }
}
