// SPDX-License-Identifier: Apache-2.0
// The credential for a registry, as stored by `docker login` and similar tools.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { ImageError } from "./image-error.ts";

/** The credential of a push. A token is an identity token for the registry's token service. */
export type RegistryCredential =
  | { readonly kind: "password"; readonly user: string; readonly password: string }
  | { readonly kind: "token"; readonly token: string };

const entrySchema = z.object({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
});

const configSchema = z.object({
  auths: z.record(z.string(), entrySchema).optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
  credsStore: z.string().optional(),
});

const helperSchema = z.object({ Username: z.string(), Secret: z.string() });

/** Keys of Docker Hub's entry in the configuration. */
const dockerHubKeys = ["https://index.docker.io/v1/", "index.docker.io", "docker.io"];

/**
 * The credential for a registry: FLOTILLA_REGISTRY_USERNAME and FLOTILLA_REGISTRY_PASSWORD, else docker's configuration
 * (DOCKER_CONFIG, else ~/.docker) including its credential helpers. Undefined if there is none; some registries need
 * none. Throws an ImageError for an unreadable configuration.
 */
export function findCredential(registry: string, env: NodeJS.ProcessEnv): RegistryCredential | undefined {
  const [user, password] = [env["FLOTILLA_REGISTRY_USERNAME"], env["FLOTILLA_REGISTRY_PASSWORD"]];
  if (user !== undefined && password !== undefined) return { kind: "password", user, password };
  if (user !== undefined || password !== undefined)
    throw new ImageError(
      "FLOTILLA_REGISTRY_USERNAME and FLOTILLA_REGISTRY_PASSWORD must be set together; set both or neither.",
    );
  const file = join(env["DOCKER_CONFIG"] ?? join(homedir(), ".docker"), "config.json");
  if (!existsSync(file)) return undefined;
  const config = parseConfig(file);
  const keys = registry === "docker.io" ? dockerHubKeys : [registry, `https://${registry}`, `https://${registry}/v2/`];
  const helper = keys.map((key) => config.credHelpers?.[key]).find((name) => name !== undefined) ?? config.credsStore;
  const fromHelper = helper === undefined ? undefined : askHelper(helper, keys, env);
  if (fromHelper !== undefined) return fromHelper;
  const entry = keys.map((key) => config.auths?.[key]).find((each) => each !== undefined);
  return entry === undefined ? undefined : fromEntry(entry);
}

function parseConfig(file: string): z.infer<typeof configSchema> {
  try {
    return configSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    // The reason may quote the file, which contains passwords, so it is not shown.
    throw new ImageError(`${file} is not a configuration of docker; run docker login again, or remove it.`, { cause });
  }
}

function fromEntry(entry: z.infer<typeof entrySchema>): RegistryCredential | undefined {
  if (entry.identitytoken !== undefined && entry.identitytoken !== "")
    return { kind: "token", token: entry.identitytoken };
  const pair = Buffer.from(entry.auth ?? "", "base64").toString("utf8");
  const at = pair.indexOf(":");
  const user = entry.username ?? pair.slice(0, Math.max(at, 0));
  const password = entry.password ?? pair.slice(at + 1);
  return user === "" ? undefined : { kind: "password", user, password };
}

/**
 * A helper is a program on PATH that reads the registry from standard input. It exits with an error for an unknown
 * registry.
 */
function askHelper(name: string, keys: readonly string[], env: NodeJS.ProcessEnv): RegistryCredential | undefined {
  if (!/^[a-z0-9-]+$/i.test(name))
    throw new ImageError(`${JSON.stringify(name)} is not the name of a credential helper.`);
  for (const key of keys) {
    const done = spawnSync(`docker-credential-${name}`, ["get"], { input: key, encoding: "utf8", env });
    if (done.error !== undefined)
      throw new ImageError(`docker-credential-${name} cannot be run: ${done.error.message}`);
    if (done.status !== 0) continue;
    const { Username: user, Secret: secret } = helperSchema.parse(JSON.parse(done.stdout));
    return user === "<token>" ? { kind: "token", token: secret } : { kind: "password", user, password: secret };
  }
  return undefined;
}
