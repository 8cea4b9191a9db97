// SPDX-License-Identifier: Apache-2.0
// The grammar of image names: [registry/]path[:tag][@digest], with docker.io as the registry where none is named.

/** Names longer than this are no reference, so longer text is not looked at; the limit of the name itself is 255. */
const maxReferenceLength = 1024;
const maxNameLength = 255;

const domainLabel = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${domainLabel}(?:\\.${domainLabel})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const pathPart = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:([0-9a-fA-F]{32,})";
const reference = new RegExp(
  `^(${domain}/${pathPart}(?:/${pathPart})*)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(@${digest})?$`,
);
const bareIdentifier = /^[a-f0-9]{64}$/;
const sha256Digest = /^@sha256:[a-f0-9]{64}$/;

/** The tag of an image, `latest` where neither tag nor digest is named; undefined where the tag does not count or the text is no image name. */
export function imageTag(image: string): string | undefined {
  if (image.length > maxReferenceLength || bareIdentifier.test(image)) return undefined;
  const normal = withRegistry(image);
  const match = reference.exec(normal);
  if (match === null) return undefined;
  const [, name = "", tag, digestPart] = match;
  if (name.length > maxNameLength) return undefined;
  if (digestPart?.startsWith("@sha256:") === true && !sha256Digest.test(digestPart)) return undefined;
  if (tag !== undefined) return tag;
  return digestPart === undefined ? "latest" : undefined;
}

/** `Always` for the tag latest, which may move; `IfNotPresent` for everything else, text that is no image name included. */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

/** The first part of a path is a registry if it looks like a host: a dot, a port, `localhost` or an upper-case letter. */
function withRegistry(image: string): string {
  const slash = image.indexOf("/");
  const first = image.slice(0, Math.max(slash, 0));
  const isHost = /[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first;
  if (slash !== -1 && isHost) return image;
  return slash === -1 ? `docker.io/library/${image}` : `docker.io/${image}`;
}
