// SPDX-License-Identifier: Apache-2.0
import { lookup as systemLookup } from "node:dns";
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { LookupFunction } from "node:net";
import { FlotillaError } from "../../base/error.ts";
import type { SendWebhook } from "../../hub/health/webhook.ts";
import { checkReceiverUrl } from "../../hub/saved-queries/webhook-url.ts";
import { nearReasonOf } from "../../kube/credentials/local-address.ts";

export interface StandingWebhookOptions {
  /** `--allow-loopback-webhooks`. */
  readonly allowsLoopback: boolean;
  /** Default: the system's. */
  readonly lookup?: LookupFunction;
}

/**
 * A sender for URLs that users give (SQ7). The URL is checked again, because the option may have changed, and so is
 * each address that its name resolves to. Uses no proxy and follows no redirect. Of the answer it reads the head,
 * which Node limits to 16 KiB, and closes the connection. The signal ends an attempt; `postWebhook` aborts it after
 * 10 s.
 */
export function createStandingSend({ allowsLoopback, lookup = systemLookup }: StandingWebhookOptions): SendWebhook {
  const isAllowed = (address: string): boolean => {
    const near = nearReasonOf(address);
    return near === undefined || (near === "loopback" && allowsLoopback);
  };
  const checkedLookup = lookupAllowed(lookup, isAllowed);
  return async ({ url, headers, body }, signal) => {
    const checked = new URL(checkReceiverUrl(url, { allowsLoopback }));
    const request = checked.protocol === "https:" ? requestSecure : requestPlain;
    const length = String(Buffer.byteLength(body));
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    // An agent of its own for each request: no connection is kept, and no proxy of the environment is used.
    request(checked, {
      method: "POST",
      headers: { ...headers, "Content-Length": length },
      agent: false,
      lookup: checkedLookup,
      signal,
    })
      .on("response", (answer) => {
        resolve(answer.statusCode ?? 0);
        answer.destroy();
      })
      .on("error", reject)
      .on("close", () => reject(new FlotillaError("UNAVAILABLE", "the receiver closed the connection")))
      .end(body);
    return promise;
  };
}

/** A lookup of the allowed addresses only. A name can resolve to this machine at any time (DNS rebinding). */
function lookupAllowed(lookup: LookupFunction, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (failure, found) => {
      if (failure !== null) {
        callback(failure, "");
        return;
      }
      const all = typeof found === "string" ? [{ address: found, family: found.includes(":") ? 6 : 4 }] : found;
      const allowed = all.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (first === undefined) callback(refusedAddress(), "");
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function refusedAddress(): FlotillaError {
  return new FlotillaError(
    "INVALID_ARGUMENT",
    "the webhook's host has only loopback, link-local or unspecified addresses; use another host",
  );
}
