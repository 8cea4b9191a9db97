// SPDX-License-Identifier: Apache-2.0
// A client for pushing with the OCI distribution API (https://github.com/opencontainers/distribution-spec).
import type { ImageName } from "../../src/model/image-name.ts";
import { ImageError } from "./image-error.ts";
import type { Blob } from "./oci-image.ts";
import type { RegistryCredential } from "./registry-credential.ts";

/** One repository of a registry. */
export class Registry {
  readonly #name: ImageName;
  readonly #origin: string;
  readonly #credential: RegistryCredential | undefined;
  /** The authorization header, once the registry has requested one. */
  #authorization: string | undefined;

  constructor(name: ImageName, credential: RegistryCredential | undefined) {
    this.#name = name;
    this.#origin = originOf(name.registry);
    this.#credential = credential;
  }

  /** Stores a blob. False if it already exists. */
  async putBlob({ descriptor: { digest }, bytes }: Blob): Promise<boolean> {
    const found = await this.#send("HEAD", this.#url(`blobs/${digest}`));
    if (found.status === 200) return false;
    if (found.status !== 404) await this.#refuse(found, `look for ${digest}`);
    const begun = await this.#send("POST", this.#url("blobs/uploads/"));
    const location = begun.headers.get("location");
    if (begun.status !== 202 || location === null) return await this.#refuse(begun, "begin an upload");
    const target = new URL(location, this.#origin);
    if (target.protocol !== new URL(this.#origin).protocol)
      throw new ImageError(
        `${this.#name.registry} sends the upload to ${target.protocol}//${target.host}; that is refused.`,
      );
    target.searchParams.set("digest", digest);
    const done = await this.#send("PUT", target, { bytes, type: "application/octet-stream" });
    if (done.status !== 201) await this.#refuse(done, `store ${digest}`);
    return true;
  }

  /**
   * Stores a manifest or index under a tag, by default under its digest. The objects it references must be stored
   * before.
   */
  async putManifest({ descriptor: { mediaType, digest }, bytes }: Blob, tag = digest): Promise<void> {
    const done = await this.#send("PUT", this.#url(`manifests/${tag}`), { bytes, type: mediaType });
    if (done.status !== 201) await this.#refuse(done, `store the manifest ${tag}`);
  }

  #url(path: string): URL {
    return new URL(`/v2/${this.#name.path}/${path}`, this.#origin);
  }

  async #send(method: string, url: URL, body?: RequestBody): Promise<Response> {
    const first = await this.#sendOnce(method, url, body);
    if (first.status !== 401 || url.origin !== this.#origin) return first;
    const authorization = await this.#authorize(first.headers.get("www-authenticate") ?? "");
    if (authorization === undefined || authorization === this.#authorization) return first;
    await first.body?.cancel();
    this.#authorization = authorization;
    return await this.#sendOnce(method, url, body);
  }

  /** The credential is sent only to the registry: an upload may go to another host, whose credential is in its URL. */
  async #sendOnce(method: string, url: URL, body: RequestBody | undefined): Promise<Response> {
    const headers = new Headers();
    if (this.#authorization !== undefined && url.origin === this.#origin)
      headers.set("authorization", this.#authorization);
    if (body !== undefined) headers.set("content-type", body.type);
    return await call(url, { method, headers, redirect: "error", ...(body === undefined ? {} : { body: body.bytes }) });
  }

  /** The authorization header for this challenge; undefined if there is no credential for it. */
  async #authorize(challenge: string): Promise<string | undefined> {
    const [, scheme = "", rest = ""] = /^(\w+)\s+(.*)$/s.exec(challenge) ?? [];
    if (scheme.toLowerCase() === "basic")
      return this.#credential?.kind === "password" ? basic(this.#credential) : undefined;
    if (scheme.toLowerCase() !== "bearer") return undefined;
    const given = new Map([...rest.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]));
    const realm = given.get("realm") ?? "";
    if (!URL.canParse(realm)) throw new ImageError(`${this.#name.registry} names no valid token service.`);
    return `Bearer ${await this.#loadToken(new URL(realm), given.get("service") ?? "")}`;
  }

  async #loadToken(realm: URL, service: string): Promise<string> {
    if (realm.protocol !== new URL(this.#origin).protocol)
      throw new ImageError(`${this.#name.registry} names ${realm.origin} as its token service; that is refused.`);
    const scope = `repository:${this.#name.path}:pull,push`;
    const credential = this.#credential;
    const asked =
      credential?.kind === "token"
        ? await call(realm, {
            method: "POST",
            body: new URLSearchParams({
              grant_type: "refresh_token",
              refresh_token: credential.token,
              client_id: "flotilla",
              service,
              scope,
            }),
          })
        : await call(withQuery(realm, { service, scope }), {
            headers: credential === undefined ? {} : { authorization: basic(credential) },
          });
    if (asked.status !== 200) await this.#refuse(asked, "give a token");
    const answer: unknown = await asked.json();
    const fields = new Map<string, unknown>(Object.entries(answer ?? {}));
    const token = fields.get("token") ?? fields.get("access_token");
    if (typeof token === "string") return token;
    throw new ImageError(`the token service ${realm.host} returned no token.`);
  }

  async #refuse(answer: Response, what: string): Promise<never> {
    const text = (await answer.text()).slice(0, shownLength).trim();
    const advice =
      answer.status === 401 || answer.status === 403
        ? `; run docker login ${this.#name.registry}, or set FLOTILLA_REGISTRY_USERNAME and FLOTILLA_REGISTRY_PASSWORD`
        : "";
    throw new ImageError(
      `${this.#name.registry} did not ${what} (${answer.status})${text === "" ? "" : `: ${text}`}${advice}`,
    );
  }
}

/** Maximum length of a shown error response; a proxy may send a whole page. */
const shownLength = 400;

interface RequestBody {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly type: string;
}

async function call(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    const inner: unknown = cause instanceof Error ? cause.cause : undefined;
    const reason = inner instanceof Error ? inner.message : String(cause);
    throw new ImageError(`${url.host} cannot be reached: ${reason}`, { cause });
  }
}

function basic({ user, password }: { readonly user: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const asked = new URL(url);
  for (const [name, value] of Object.entries(query)) if (value !== "") asked.searchParams.set(name, value);
  return asked;
}

/** Plain HTTP for a registry on this machine, like docker; TLS for all others. Docker Hub's API has its own host. */
function originOf(registry: string): string {
  const host = registry === "docker.io" ? "index.docker.io" : registry;
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host);
  return new URL(`${isHere ? "http" : "https"}://${host}`).origin;
}
