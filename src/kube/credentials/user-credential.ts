// SPDX-License-Identifier: Apache-2.0
import { orAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import { KubeError } from "../kube-error.ts";
import type { ClientCertificateMaterial, ClusterAccess, Material } from "./cluster-access.ts";
import { bearerOf, type ClientCertificate, type Credential, type CredentialSource } from "./credential.ts";
import { ExecPlugin } from "./exec-plugin.ts";
import { materialBoundBytes } from "./read-bounded.ts";
import { ReloadingFile } from "./reloading-file.ts";
import { TokenFile } from "./token-file.ts";

/** Dependencies of credential sources. */
export interface CredentialSurroundings {
  readonly clock: Clock;
  /** The environment that exec plugins inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The credential source of an access' user, by kubectl's precedence: token file, token, basic auth, exec plugin. A
 * client certificate is added to each.
 */
export function createCredentialSource(access: ClusterAccess, surroundings: CredentialSurroundings): CredentialSource {
  const { clientCertificate } = access.user;
  const base = createAuthorizationSource(access, surroundings);
  return clientCertificate === undefined ? base : new WithCertificate(base, clientCertificate, surroundings.clock);
}

function createAuthorizationSource(
  access: ClusterAccess,
  { clock, environment }: CredentialSurroundings,
): CredentialSource {
  const { tokenFile, token, basicAuth, exec } = access.user;
  if (tokenFile !== undefined) return new TokenFile(tokenFile, clock);
  if (token !== undefined) return new StaticCredential(() => bearerOf(token.trim(), `the token of ${access.name}`));
  if (basicAuth !== undefined) {
    const pair = Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString("base64");
    return new StaticCredential(() => `Basic ${pair}`);
  }
  if (exec !== undefined) return new ExecPlugin({ spec: exec, access, clock, environment });
  return new StaticCredential(() => undefined);
}

/** A credential that cannot be renewed. */
class StaticCredential implements CredentialSource {
  readonly #authorization: () => string | undefined;

  constructor(authorization: () => string | undefined) {
    this.#authorization = authorization;
  }

  load(): Promise<Credential> {
    return Promise.resolve().then(() => ({ authorization: this.#authorization(), clientCertificate: undefined }));
  }

  refuse(): void {
    // There is nothing to renew.
  }

  close(): void {
    // Nothing to close.
  }
}

/** Adds a client certificate, whose files may be replaced at run time. */
class WithCertificate implements CredentialSource {
  readonly #base: CredentialSource;
  readonly #certificate: ChangingMaterial;
  readonly #key: ChangingMaterial;

  constructor(base: CredentialSource, material: ClientCertificateMaterial, clock: Clock) {
    this.#base = base;
    this.#certificate = new ChangingMaterial(material.certificate, clock);
    this.#key = new ChangingMaterial(material.key, clock);
  }

  async load(signal: AbortSignal): Promise<Credential> {
    const { authorization } = await this.#base.load(signal);
    return { authorization, clientCertificate: await orAborted(this.#loadBoth(), signal) };
  }

  refuse(credential: Credential): void {
    this.#base.refuse({ ...credential, clientCertificate: undefined });
    this.#certificate.expire();
    this.#key.expire();
  }

  close(): void {
    this.#base.close();
  }

  /**
   * Loads one after the other. If the first failed while the second was still being read, the next caller, perhaps
   * after a repair, would join that old read.
   */
  async #loadBoth(): Promise<ClientCertificate> {
    const certificate = await this.#certificate.load();
    return { certificate, key: await this.#key.load() };
  }
}

/** A material whose file is read again when it may have changed. */
class ChangingMaterial {
  readonly #text: string | undefined;
  readonly #file: ReloadingFile | undefined;
  readonly #path: string;

  constructor(material: Material, clock: Clock) {
    this.#text = material.kind === "inline" ? material.text : undefined;
    this.#path = material.kind === "file" ? material.path : "";
    this.#file =
      material.kind === "file"
        ? new ReloadingFile(material.path, { boundBytes: materialBoundBytes, clock })
        : undefined;
  }

  async load(): Promise<string> {
    if (this.#file === undefined) return this.#text ?? "";
    try {
      return await this.#file.load();
    } catch (reason) {
      throw new KubeError(
        "unauthorized",
        `the client certificate's file ${this.#path} cannot be read; check that it exists`,
        {
          cause: reason,
        },
      );
    }
  }

  expire(): void {
    this.#file?.expire();
  }
}
