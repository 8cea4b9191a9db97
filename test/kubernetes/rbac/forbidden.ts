// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../../src/model/subject.ts";
import type { RequestAttributes } from "../../../src/rbac/attributes.ts";
import { refusalText } from "../../../src/rbac/grant-text.ts";
import type { KubeAnswer } from "../kube-client.ts";
import { tellSameErrors } from "./same-errors.ts";

/** The message of a Status; empty if the body is none. */
export function messageOf({ body }: KubeAnswer): string {
  if (typeof body !== "object" || body === null || !("message" in body)) return "";
  return typeof body.message === "string" ? body.message : "";
}

/** What stands before our text in a 403: the resource and, if the request has one, the name. */
function beginningOf(attributes: RequestAttributes): string {
  if (attributes.kind === "nonResource") return "forbidden: ";
  const { apiGroup, resource, name } = attributes;
  const what = apiGroup === "" ? resource : `${resource}.${apiGroup}`;
  return `${what}${name === "" ? "" : ` ${JSON.stringify(name)}`} is forbidden: `;
}

/** True if the message is that of a 403 for these attributes, with this reason of RBAC behind it. */
export function isRefusal(message: string, user: Subject, attributes: RequestAttributes, reason: string): boolean {
  const text = `${beginningOf(attributes)}${refusalText(user, attributes)}`;
  if (reason === "" || !message.startsWith(`${text}: `)) return message === text;
  return tellSameErrors(reason, message.slice(text.length + 2));
}
