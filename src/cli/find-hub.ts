// SPDX-License-Identifier: Apache-2.0
import { join } from "node:path";
import { FlotillaError } from "../base/error.ts";
import { type HubOfRunFile, parseRunFile, runFileName } from "./run-file.ts";

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

/**
 * Where a browser of this user opens the page: the hub that was named, or of the one running in the data directory the plain
 * listener, which no browser warns about.
 */
export function findPageUrl({ hub, dataDir }: Pick<HubChoice, "hub" | "dataDir">, readText: ReadText): string {
  if (hub !== undefined) return hub;
  const { httpUrl, hubUrl } = readRunFile(dataDir, readText);
  return httpUrl === "" ? hubUrl : httpUrl;
}

function findNamedHub(url: string, { caFile, token }: HubChoice, readText: ReadText): HubAddress {
  if (token === undefined) {
    throw new FlotillaError("UNAUTHENTICATED", "--hub needs a token: set FLOTILLA_TOKEN, or give --token file:PATH");
  }
  return { url, token, ...(caFile === undefined ? {} : { ca: load(caFile, "the certificates", readText) }) };
}

function findRunningHub({ dataDir, caFile, token }: HubChoice, readText: ReadText): HubAddress {
  const running = readRunFile(dataDir, readText);
  const trusted = caFile ?? running.caFile;
  return {
    url: running.hubUrl,
    ...(trusted === "" ? {} : { ca: load(trusted, "the certificates", readText) }),
    token: token ?? load(running.adminTokenFile, "the admin token", readText).trim(),
  };
}

function readRunFile(dataDir: string, readText: ReadText): HubOfRunFile {
  const path = join(dataDir, runFileName);
  const file = readText(path);
  if (file.kind === "unreadable") {
    throw new FlotillaError(
      "UNAVAILABLE",
      `no hub runs in ${dataDir} (${file.reason}); start one with \`flotilla up\`, or name one with --hub`,
      { ids: { dataDir } },
    );
  }
  return parseRunFile(path, file.text);
}

function load(path: string, what: string, readText: ReadText): string {
  const file = readText(path);
  if (file.kind === "text") return file.text;
  throw new FlotillaError("INVALID_ARGUMENT", `${what} cannot be read: ${file.reason}`, { ids: { path } });
}
