// SPDX-License-Identifier: Apache-2.0
import { join } from "node:path";
import { FlotillaError } from "../base/error.ts";
import { parseRunFile, runFileName } from "./run-file.ts";

/** Which hub to call and as whom, as far as it was given. */
export interface HubChoice {
  readonly hub: string | undefined;
  readonly caFile: string | undefined;
  readonly token: string | undefined;
  readonly dataDir: string;
}

/** All that a call needs. */
export interface HubAddress {
  readonly url: string;
  /** Certificates in PEM; left out, the system's. */
  readonly ca?: string;
  readonly token: string;
}

/** Reads a small text file; what cannot be read comes back as words. */
export type ReadText = (
  path: string,
) => { readonly kind: "text"; readonly text: string } | { readonly kind: "unreadable"; readonly reason: string };

/**
 * The hub that was named, or else the one running in the data directory. The admin token found there is sent to that hub
 * alone: one that was named by URL needs a token of its own.
 */
export function findHub(choice: HubChoice, readText: ReadText): HubAddress {
  return choice.hub === undefined ? findRunningHub(choice, readText) : findNamedHub(choice.hub, choice, readText);
}

/** Where the hub is, for whoever brings a credential of its own: the hub that was named, or else the one running in the data directory. */
export function findHubPlace(
  { hub, caFile, dataDir }: Omit<HubChoice, "token">,
  readText: ReadText,
): Pick<HubAddress, "url" | "ca"> {
  const { url, ca } = findHub({ hub, caFile, dataDir, token: "" }, readText);
  return { url, ...(ca === undefined ? {} : { ca }) };
}

function findNamedHub(url: string, { caFile, token }: HubChoice, readText: ReadText): HubAddress {
  if (token === undefined) {
    throw new FlotillaError("UNAUTHENTICATED", "--hub needs a token: set FLOTILLA_TOKEN, or give --token file:PATH");
  }
  return { url, token, ...(caFile === undefined ? {} : { ca: load(caFile, "the certificates", readText) }) };
}

function findRunningHub({ dataDir, caFile, token }: HubChoice, readText: ReadText): HubAddress {
  const path = join(dataDir, runFileName);
  const file = readText(path);
  if (file.kind === "unreadable") {
    throw new FlotillaError(
      "UNAVAILABLE",
      `no hub runs in ${dataDir} (${file.reason}); start one with \`flotilla up\`, or name one with --hub`,
      { ids: { dataDir } },
    );
  }
  const running = parseRunFile(path, file.text);
  const trusted = caFile ?? running.caFile;
  return {
    url: running.hubUrl,
    ...(trusted === "" ? {} : { ca: load(trusted, "the certificates", readText) }),
    token: token ?? load(running.adminTokenFile, "the admin token", readText).trim(),
  };
}

function load(path: string, what: string, readText: ReadText): string {
  const file = readText(path);
  if (file.kind === "text") return file.text;
  throw new FlotillaError("INVALID_ARGUMENT", `${what} cannot be read: ${file.reason}`, { ids: { path } });
}
