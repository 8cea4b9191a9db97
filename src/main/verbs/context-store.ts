// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import {
  contextsPath,
  formatHubContexts,
  type HubContexts,
  noContexts,
  parseHubContexts,
} from "../../cli/hub/hub-contexts.ts";
import type { ContextStore } from "../../cli/hub/login.ts";
import type { Runtime } from "./verb.ts";

/**
 * The contexts of this user; none if the file does not exist. Throws MALFORMED, or INVALID_ARGUMENT for an unreadable
 * file.
 */
export function loadContexts({ io, readFile }: Pick<Runtime, "io" | "readFile">): HubContexts {
  const path = contextsPath(io.env);
  if (path === undefined) return noContexts;
  const file = readFile(path);
  if (file.kind === "text") return parseHubContexts(path, file.text);
  if (file.isMissing === true) return noContexts;
  throw new FlotillaError("INVALID_ARGUMENT", `the contexts cannot be read: ${file.reason}`);
}

/** The contexts in ~/.flotilla/config, readable only by its owner. Written atomically. */
export function openContextStore(runtime: Pick<Runtime, "io" | "readFile">): ContextStore {
  return {
    load: () => loadContexts(runtime),
    save(contexts) {
      const path = contextsPath(runtime.io.env);
      if (path === undefined)
        throw new FlotillaError("CONFIG_INVALID", "HOME is not set, so the login cannot be saved; set HOME");
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const partial = `${path}.partial`;
      writeFileSync(partial, formatHubContexts(contexts), { mode: 0o600 });
      renameSync(partial, path);
    },
  };
}
