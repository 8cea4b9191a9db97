// SPDX-License-Identifier: Apache-2.0
// The messages of access reviews in their wire form and as checked values.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import {
  type AccessQuestion,
  type AccessReport,
  type AccessReportSchema,
  AccessReviewRight,
  AccessVerdict,
  type AccessVerdicts,
  type AccessVerdictsSchema,
  type ReviewAccess,
  type ReviewAccessSchema,
  ClusterAuthorizers as WireAuthorizers,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import { cutText } from "../../model/text.ts";
import {
  type AccessReportFacts,
  type AskedRequest,
  maxDetailBytes,
  maxReviewCount,
  type ReviewAnswer,
  type ReviewOrder,
  type ReviewRight,
  type ReviewVerdict,
} from "./access-sample.ts";

const authorizerNumbers: Readonly<Record<AccessReportFacts["authorizers"], WireAuthorizers>> = {
  rbac: WireAuthorizers.RBAC,
  other: WireAuthorizers.OTHER,
  unknown: WireAuthorizers.UNSPECIFIED,
};

const rightNumbers: Readonly<Record<ReviewRight, AccessReviewRight>> = {
  allowed: AccessReviewRight.ALLOWED,
  forbidden: AccessReviewRight.FORBIDDEN,
  off: AccessReviewRight.UNSPECIFIED,
};

const verdictNumbers: Readonly<Record<ReviewVerdict, AccessVerdict>> = {
  allowed: AccessVerdict.ALLOWED,
  denied: AccessVerdict.DENIED,
  unknown: AccessVerdict.UNSPECIFIED,
};

/** The key of a number. A number of a newer peer has the meaning of 0, which permits and proves nothing. */
function nameOf<Name extends string>(numbers: Readonly<Record<Name, number>>, number: number, zero: Name): Name {
  for (const name in numbers) if (numbers[name] === number) return name;
  return zero;
}

/** The wire form of a report. */
export function toAccessReport({
  authorizers,
  detail,
  reviews,
}: AccessReportFacts): MessageInitShape<typeof AccessReportSchema> {
  return {
    authorizers: authorizerNumbers[authorizers],
    detail: cutText(detail, maxDetailBytes),
    reviews: rightNumbers[reviews],
  };
}

/** A report as received by the hub. */
export function parseAccessReport({ authorizers, detail, reviews }: AccessReport): AccessReportFacts {
  return {
    authorizers: nameOf(authorizerNumbers, authorizers, "unknown"),
    detail: cutText(detail, maxDetailBytes),
    reviews: nameOf(rightNumbers, reviews, "off"),
  };
}

/** The wire form of an order. */
export function toReviewAccess({ number, requests }: ReviewOrder): MessageInitShape<typeof ReviewAccessSchema> {
  return {
    number,
    questions: requests.map(({ user, groups, verb, group, resource, namespace, name }) => {
      return { user, groups: [...groups], verb, apiGroup: group, resource, namespace, name };
    }),
  };
}

/**
 * An order as received by the agent. Questions beyond the limit are dropped: they get no verdict. A question that the
 * agent may not ask stays, so that the verdicts have the order of the questions; `isReviewable` finds it.
 */
export function parseReviewAccess({ number, questions }: ReviewAccess): ReviewOrder {
  return { number, requests: questions.slice(0, maxReviewCount).map(toRequest) };
}

function toRequest({ user, groups, verb, apiGroup, resource, namespace, name }: AccessQuestion): AskedRequest {
  return { user, groups, verb, group: apiGroup, resource, namespace, name };
}

/** The wire form of an answer. */
export function toAccessVerdicts({ number, verdicts }: ReviewAnswer): MessageInitShape<typeof AccessVerdictsSchema> {
  return { number, verdicts: verdicts.map((verdict) => verdictNumbers[verdict]) };
}

/** An answer as received by the hub. Throws TOO_LARGE if it has more verdicts than an order has questions. */
export function parseAccessVerdicts({ number, verdicts }: AccessVerdicts): ReviewAnswer {
  if (verdicts.length > maxReviewCount)
    throw new FlotillaError("TOO_LARGE", `a message has ${verdicts.length} verdicts, the most is ${maxReviewCount}`);
  return { number, verdicts: verdicts.map((verdict) => nameOf(verdictNumbers, verdict, "unknown")) };
}
