// SPDX-License-Identifier: Apache-2.0
// client.authentication.k8s.io: a program that returns a token or a client certificate.
import { orAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import { openDeadline } from "../../base/time/deadline.ts";
import { KubeError } from "../kube-error.ts";
import type { ClusterAccess, ExecSpec } from "./cluster-access.ts";
import { type Credential, type CredentialSource, isSameCredential } from "./credential.ts";
import { ExecAnswerError, type ExecCredential, parseExecCredential } from "./exec-credential.ts";
import { loadMaterial } from "./read-bounded.ts";
import { cutText, redactSecrets } from "./redact-secrets.ts";
import { runProgram } from "./run-program.ts";

/** One minute: plugins of cloud providers log in over the network and take some seconds. */
const defaultDeadlineMs = 60_000;

/** 1 MiB: a certificate chain with its key has 10 KiB. */
const outputBoundBytes = 1024 * 1024;

/** Standard error that is kept, enough for the first lines, and the part that a message shows. */
const errorBoundBytes = 16 * 1024;
const shownErrorLength = 400;

/**
 * A credential is renewed a minute before it expires, or after 80% of its lifetime if that is later: clocks differ and
 * requests take time.
 */
const renewBeforeMs = 60_000;
const renewBeforeShare = 0.2;

/** Names of variables whose values are secrets, even though the kubeconfig sets them. */
const secretName = /token|secret|passw|key|credential/i;

/** The program, its cluster and its environment. */
export interface ExecPluginOptions {
  readonly spec: ExecSpec;
  /** The cluster that the credential is for. */
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** The environment that the program inherits. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default one minute. */
  readonly deadlineMs?: number;
}

/**
 * Runs a program for the credential and keeps it until shortly before it expires, or until the server refuses it (KU6).
 * Concurrent calls share one process and its result.
 */
export class ExecPlugin implements CredentialSource {
  readonly #options: ExecPluginOptions;
  readonly #closing = new AbortController();
  #kept: (ExecCredential & { readonly renewAtMs: number }) | undefined;
  #running: Promise<Credential> | undefined;

  constructor(options: ExecPluginOptions) {
    this.#options = options;
  }

  async load(signal: AbortSignal): Promise<Credential> {
    if (this.#kept !== undefined && this.#options.clock.wallMs() < this.#kept.renewAtMs) return this.#kept.credential;
    this.#running ??= this.#renew().finally(() => {
      this.#running = undefined;
    });
    return await orAborted(this.#running, signal);
  }

  /** Drops the credential if it is still the kept one, so that several refused requests cause one renewal. */
  refuse(credential: Credential): void {
    if (this.#kept !== undefined && isSameCredential(this.#kept.credential, credential)) this.#kept = undefined;
  }

  close(): void {
    this.#closing.abort(new KubeError("unauthorized", "the connection was closed while its exec plugin ran"));
  }

  async #renew(): Promise<Credential> {
    const { clock } = this.#options;
    const given = await this.#run();
    const nowMs = clock.wallMs();
    const lifeMs = given.expiresAtMs - nowMs;
    if (lifeMs <= 0) throw this.#fail("gave a credential that has expired already; check both clocks");
    const renewAtMs = given.expiresAtMs - Math.min(renewBeforeMs, lifeMs * renewBeforeShare);
    this.#kept = { ...given, renewAtMs: Number.isFinite(given.expiresAtMs) ? renewAtMs : Number.POSITIVE_INFINITY };
    return given.credential;
  }

  async #run(): Promise<ExecCredential> {
    const { spec, clock, environment, deadlineMs = defaultDeadlineMs } = this.#options;
    const env: Record<string, string | undefined> = { ...environment };
    for (const { name, value } of spec.env) env[name] = value;
    env["KUBERNETES_EXEC_INFO"] = await this.#describeCluster();
    using deadline = openDeadline({ clock, limitMs: deadlineMs, what: "the credential", signal: this.#closing.signal });
    const program = { command: spec.command, args: spec.args, env, outputBoundBytes, errorBoundBytes };
    const end = await runProgram(program, deadline.signal).catch((reason: unknown) => {
      const isLate = deadline.signal.aborted && !this.#closing.signal.aborted;
      throw isLate ? this.#fail(`did not end within ${deadlineMs} ms`, "timeout") : reason;
    });
    if (end.kind === "tooMuch") throw this.#fail(`wrote more than ${outputBoundBytes} bytes`);
    if (end.kind === "notStarted") throw this.#notStarted(end.code);
    if (end.code !== 0) throw this.#exited(end.code, end.errorText);
    try {
      return parseExecCredential(end.output, spec.apiVersion, `the token of the exec plugin ${this.#name()}`);
    } catch (reason) {
      if (reason instanceof ExecAnswerError) throw this.#fail(`gave no credential: ${reason.message}`);
      throw reason;
    }
  }

  /** KUBERNETES_EXEC_INFO: not interactive, and the cluster's details if the kubeconfig asks for them. */
  async #describeCluster(): Promise<string> {
    const { spec, access } = this.#options;
    const info: Record<string, unknown> = { interactive: false };
    if (spec.provideClusterInfo) {
      const { certificateAuthority, tlsServerName, proxyUrl } = access;
      const ca = certificateAuthority === undefined ? undefined : await loadMaterial(certificateAuthority);
      info["cluster"] = {
        server: access.server.href.replace(/\/$/, ""),
        ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
        ...(access.insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
        ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
        ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl.href }),
        config: spec.clusterConfig ?? null,
      };
    }
    return JSON.stringify({ apiVersion: spec.apiVersion, kind: "ExecCredential", spec: info });
  }

  #name(): string {
    return JSON.stringify(cutText(this.#options.spec.command, 200));
  }

  #fail(sentence: string, fault: "unauthorized" | "timeout" = "unauthorized"): KubeError {
    return new KubeError(fault, `the exec plugin ${this.#name()} of ${this.#options.access.name} ${sentence}`);
  }

  #notStarted(code: string): KubeError {
    const hint = cutText(this.#options.spec.installHint, shownErrorLength);
    const why = code === "ENOENT" ? "is not installed, or not in PATH" : `cannot be started (${code})`;
    return this.#fail(hint === "" ? why : `${why}: ${hint}`);
  }

  #exited(code: number | null, errorText: string): KubeError {
    const secrets = this.#options.spec.env.filter(({ name }) => secretName.test(name)).map(({ value }) => value);
    const shown = cutText(redactSecrets(errorText, secrets), shownErrorLength);
    const how = code === null ? "was killed" : `ended with code ${code}`;
    return this.#fail(shown === "" ? `${how} and wrote nothing to standard error` : `${how}: ${shown}`);
  }
}
