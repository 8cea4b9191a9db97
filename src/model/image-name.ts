// SPDX-License-Identifier: Apache-2.0
// The grammar of image names: [registry/]path[:tag][@digest]. The default registry is docker.io.
import { flotillaDomain } from "./names.ts";

/** Longer text is never a reference and is not parsed. The name itself is limited to 255. */
const maxReferenceLength = 1024;
const maxNameLength = 255;

const domainLabel = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${domainLabel}(?:\\.${domainLabel})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const pathPart = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:([0-9a-fA-F]{32,})";
const reference = new RegExp(
  `^((${domain})/(${pathPart}(?:/${pathPart})*))(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(${digest}))?$`,
);
const bareIdentifier = /^[a-f0-9]{64}$/;
const sha256Digest = /^sha256:[a-f0-9]{64}$/;

/** The parts of an image name. */
export interface ImageName {
  /** Host of the registry, with its port if one is named. */
  readonly registry: string;
  /** The repository within the registry. */
  readonly path: string;
  readonly tag: string | undefined;
  /** `sha256:` and 64 hexadecimal digits, or a digest of another algorithm. */
  readonly digest: string | undefined;
}

/** The parts of an image name, parsed as container runtimes do; undefined if the text is not an image name. */
export function parseImageName(text: string): ImageName | undefined {
  if (text.length > maxReferenceLength || bareIdentifier.test(text)) return undefined;
  const match = reference.exec(withRegistry(text));
  if (match === null) return undefined;
  const [, name = "", registry = "", path = "", tag, digestText] = match;
  if (name.length > maxNameLength) return undefined;
  if (digestText?.startsWith("sha256:") === true && !sha256Digest.test(digestText)) return undefined;
  return { registry, path, tag, digest: digestText };
}

/** True for a text that container runtimes accept as an image name. */
export function isImageName(text: string): boolean {
  return parseImageName(text) !== undefined;
}

/** Flotilla's image in that version. A tag cannot contain `+`, which a semantic version may: it becomes `_`. */
export function defaultImageName(version: string): string {
  return `${flotillaDomain}/flotilla:${version.replaceAll("+", "_")}`;
}

/**
 * The first part of a path is a registry if it looks like a host: a dot, a port, `localhost` or an upper-case letter.
 */
function withRegistry(image: string): string {
  const slash = image.indexOf("/");
  const first = image.slice(0, Math.max(slash, 0));
  const isHost = /[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first;
  if (slash !== -1 && isHost) return image;
  return slash === -1 ? `docker.io/library/${image}` : `docker.io/${image}`;
}
