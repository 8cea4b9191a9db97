// SPDX-License-Identifier: Apache-2.0
import { nearReasonOfHost } from "../../kube/credentials/local-address.ts";
import { refuseInput } from "./query-limits.ts";

/** Longer ones are refused by common servers. */
const maxUrlLength = 2_048;

/**
 * Checks the URL of a receiver that a user gives (SQ7): https, and not an address of the hub's own machine or link,
 * since users must not make the hub send requests there. With `allowsLoopback` also https and http to loopback. Throws
 * INVALID_ARGUMENT.
 */
export function checkReceiverUrl(text: string, { allowsLoopback }: { readonly allowsLoopback: boolean }): string {
  const url = text.length <= maxUrlLength && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    return refuseInput("the webhook URL must begin with https:// and have at most 2048 characters");
  if (url.username !== "" || url.password !== "") refuseInput("the webhook URL must not contain a user or password");
  const near = nearReasonOfHost(url.hostname);
  if (near === "loopback" && allowsLoopback) return url.href;
  if (near === "loopback")
    refuseInput(
      "the webhook URL is on the hub's own machine; use another host, or start the hub with --allow-loopback-webhooks",
    );
  if (near !== undefined) refuseInput(`the webhook URL has a ${near} address; use another host`);
  if (url.protocol === "http:")
    refuseInput("the webhook URL must begin with https://: deliveries contain object names");
  return url.href;
}
