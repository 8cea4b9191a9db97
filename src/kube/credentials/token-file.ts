// SPDX-License-Identifier: Apache-2.0
import { orAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import { KubeError } from "../kube-error.ts";
import { bearerOf, type Credential, type CredentialSource } from "./credential.ts";
import { ReloadingFile } from "./reloading-file.ts";

/** 64 KiB: a service account token has about 1 KiB, and servers refuse headers long before this. */
const tokenBoundBytes = 64 * 1024;

/**
 * The token of a file that is replaced at run time: read again at most ten seconds late, and at once after a 401 (KU6).
 */
export class TokenFile implements CredentialSource {
  readonly #path: string;
  readonly #file: ReloadingFile;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#file = new ReloadingFile(path, { boundBytes: tokenBoundBytes, clock });
  }

  async load(signal: AbortSignal): Promise<Credential> {
    const token = await orAborted(
      this.#file.load().catch((reason: unknown) => this.#fail(reason)),
      signal,
    );
    if (token === "") throw new KubeError("unauthorized", `the token file ${this.#path} is empty`);
    return { authorization: bearerOf(token, `the token file ${this.#path}`), clientCertificate: undefined };
  }

  refuse(): void {
    this.#file.expire();
  }

  close(): void {
    this.#file.expire();
  }

  #fail(reason: unknown): never {
    throw new KubeError("unauthorized", `the token file ${this.#path} cannot be read; check that it exists`, {
      cause: reason,
    });
  }
}
