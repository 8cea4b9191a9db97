// SPDX-License-Identifier: Apache-2.0
// Chooses the proxy for a server by the rules of Go's net/http, which kubectl follows (KU5).
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { FlotillaError } from "../../base/error.ts";
import { nearReasonOfHost } from "../credentials/local-address.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a server: the kubeconfig's own, else HTTPS_PROXY (HTTP_PROXY for a server without TLS), unless NO_PROXY
 * matches the server or it is on this machine. Throws CONFIG_INVALID for a variable that is not a URL.
 */
export function chooseProxy(server: URL, own: URL | undefined, environment: Environment): URL | undefined {
  if (own !== undefined) return own;
  const variable = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = valueOf(environment, variable);
  if (text === undefined || nearReasonOfHost(server.hostname) === "loopback") return undefined;
  if (isExcluded(server, valueOf(environment, "NO_PROXY") ?? "")) return undefined;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "") return url;
  // The value is not shown: it may hold a password (KU9).
  throw new FlotillaError(
    "CONFIG_INVALID",
    `${variable} must be a URL with http:// or https://, such as http://proxy:3128`,
  );
}

/** Upper case takes precedence. An empty variable counts as unset. */
function valueOf(environment: Environment, name: string): string | undefined {
  return environment[name] || environment[name.toLowerCase()] || undefined;
}

/** A proxy's URL for messages, without its password (KU9). */
export function showProxy(proxy: URL): string {
  return `${proxy.protocol}//${proxy.host}`;
}

/** The port of a URL, explicit or default. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** A URL's host as sockets expect it: IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/**
 * True if an entry of NO_PROXY matches the server: `*`, a host with its subdomains, `.domain` or `*.domain` for
 * subdomains only, an address, or a CIDR. A port restricts the entry.
 */
function isExcluded(server: URL, noProxy: string): boolean {
  const host = hostOf(server).toLowerCase().replace(/\.$/, "");
  const port = portOf(server);
  return noProxy
    .split(/[,\s]+/)
    .map((part) => part.trim().toLowerCase())
    .some((part) => part !== "" && matchesEntry(part, host, port));
}

function matchesEntry(part: string, host: string, port: number): boolean {
  if (part === "*") return true;
  if (part.includes("/")) return isWithin(host, part);
  const { name, onlyPort } = splitPort(part);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(host) !== 0 || isIP(name) !== 0) return isSameAddress(name, host);
  const bare = name.replace(/^\*?\./, "").replace(/\.$/, "");
  if (bare === "") return false;
  return host.endsWith(`.${bare}`) || (host === bare && !/^\*?\./.test(name));
}

function splitPort(part: string): { readonly name: string; readonly onlyPort: number | undefined } {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(part);
  const plain = isIPv6(part) ? undefined : /^([^:]+):(\d+)$/.exec(part);
  const [, name = part, onlyPort] = bracketed ?? plain ?? [];
  return { name, onlyPort: onlyPort === undefined ? undefined : Number(onlyPort) };
}

function isSameAddress(a: string, b: string): boolean {
  return isIP(a) !== 0 && isIP(a) === isIP(b) && isWithin(b, `${a}/${isIPv4(a) ? 32 : 128}`);
}

function isWithin(host: string, cidr: string): boolean {
  const [network = "", prefixText = ""] = cidr.split("/", 2);
  const prefix = Number(prefixText);
  const family = isIPv4(network) ? "ipv4" : "ipv6";
  const isUsable = isIP(network) !== 0 && /^\d{1,3}$/.test(prefixText) && prefix <= (family === "ipv4" ? 32 : 128);
  if (!isUsable || isIP(host) !== isIP(network)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return list.check(host, family);
}
