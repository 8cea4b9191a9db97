// SPDX-License-Identifier: Apache-2.0
import type { LookupFunction } from "node:net";
import { throwIfAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { ClusterAccess } from "../credentials/cluster-access.ts";
import { type Credential, type CredentialSource, isSameCredential, secretsOf } from "../credentials/credential.ts";
import { type CredentialTerm, termOf } from "../credentials/credential-term.ts";
import { cutText } from "../credentials/hide-secrets.ts";
import { createCredentialSource } from "../credentials/user-credential.ts";
import { KubeError } from "../kube-error.ts";
import type { KubeAnswer, KubeObserver, KubeRequest, KubeSource } from "../kube-source.ts";
import { toAnswerError } from "./answer-error.ts";
import type { WireAnswer } from "./channel.ts";
import { ChannelPool, type ConnectionState, closedError } from "./channel-pool.ts";
import { chooseProxy } from "./proxy.ts";
import { decodedStream, readStart, readWhole } from "./read-body.ts";
import { requestHeaders } from "./request-headers.ts";
import { RequestScope } from "./request-scope.ts";

/** KU3: Status messages have some hundred bytes; a page of a proxy may be any size. */
const failedBodyBoundBytes = 64 * 1024;

/** How a cluster is talked to. */
export interface KubeConnectionOptions {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** `flotilla-agent/1.2.3`. */
  readonly userAgent: string;
  /** For name lookup, TCP, proxy and TLS together (`--connect-timeout`). */
  readonly connectTimeoutMs: number;
  /** Time between an answered PING and the next. */
  readonly pingIntervalMs: number;
  /** A PING that is not answered by then breaks the connection. */
  readonly pingTimeoutMs: number;
  /** For HTTPS_PROXY and NO_PROXY, and what exec plugins inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: the system's name lookup. */
  readonly lookup?: LookupFunction;
  readonly observer?: KubeObserver;
  /** An open HTTP/2 connection broke, and every request on it: reason to look at the server at once. Must not throw. */
  readonly onBroken?: (error: KubeError) => void;
}

/** One API server with one credential, over HTTP/2 or HTTP/1.1 (KU1 to KU5). Connects with the first request, and again with the next one after a failure. */
export class KubeConnection implements KubeSource {
  readonly #options: KubeConnectionOptions;
  readonly #credentials: CredentialSource;
  readonly #pool: ChannelPool;
  #shown: { readonly credential: Credential; readonly term: CredentialTerm | undefined } | undefined;
  #isClosed = false;

  /** Throws CONFIG_INVALID where the environment names a proxy that is no URL. */
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

  get state(): ConnectionState {
    return this.#pool.state;
  }

  /** Whether a credential was loaded yet. */
  get hasCredential(): boolean {
    return this.#shown !== undefined;
  }

  /** Until when the credential that was shown last counts; undefined before the first, where it has no known end, and where a plugin gives the next. */
  get credentialTerm(): CredentialTerm | undefined {
    return this.#shown?.term;
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
      const { answer, credential } = await this.#ask(request, scope.signal);
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
      // Such an answer has no body, and nobody need read it.
      if (answer.status === 204 || answer.status === 304) await drain(body);
      return { status: answer.status, headers: answer.headers, body };
    } catch (reason) {
      throw fail(reason);
    }
  }

  /** Ends every request with `tcp`, and what gives credentials. Nothing is open when it resolves but what the system still closes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#credentials.close();
    await this.#pool.close();
  }

  /** The answer, whatever its status. A GET that is answered 401 goes out once more if a new credential can be had (KU6). */
  async #ask(request: KubeRequest, signal: AbortSignal): Promise<{ answer: WireAnswer; credential: Credential }> {
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
    if (this.#shown !== undefined && isSameCredential(this.#shown.credential, credential)) return;
    this.#shown = { credential, term: isRenewedByPlugin(this.#options.access) ? undefined : termOf(credential) };
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

/** What an exec plugin gave ends soon and is asked for anew at its end, so its end says nothing. */
function isRenewedByPlugin({ user }: ClusterAccess): boolean {
  const { exec, tokenFile, token, basicAuth } = user;
  return exec !== undefined && tokenFile === undefined && token === undefined && basicAuth === undefined;
}

/** A page for people, or a way elsewhere, is no answer of an API server: a login page before it answers 200 to everything. */
function checkAnswer({ status, headers }: WireAnswer): void {
  const type = headers.get("content-type") ?? "";
  if (/^\s*text\/html\b/i.test(type)) {
    throw new KubeError("malformed", "the answer is a page for people, so this is no API server", { status });
  }
  if (status < 200 || (status >= 300 && status !== 304)) {
    throw new KubeError("malformed", `the answer has status ${status}, which no API server gives here`, { status });
  }
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of body);
}

/** The body for one reader, once. Whatever way the reader leaves, the request is let go. */
async function* readAnswer(
  answer: WireAnswer,
  told: { readonly fail: (reason: unknown) => Error; readonly end: () => void },
): AsyncGenerator<Uint8Array> {
  let failure: Error | undefined;
  try {
    yield* readWhole(answer, decodedStream(answer));
  } catch (reason) {
    failure = told.fail(reason);
    throw failure;
  } finally {
    if (failure === undefined) told.end();
  }
}
