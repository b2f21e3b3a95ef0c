"""Gives a user exactly these links, by the rules for other writers. Without any, the user is unlinked."""

import argparse
import random
import sys
import time
from datetime import datetime, timezone

import boto3
from botocore.exceptions import BotoCoreError, ClientError

LINKS = ("saml_provider_id", "sso_provider_id")
# Another writer was there at the same time, or the table gets too many writes: read, decide and write again.
PASSING = {
    "None",
    "ConditionalCheckFailed",
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
}
dynamodb = boto3.client("dynamodb")


def change(table, user_id, links):
    """Repeats for half a minute. When boto3 got no answer it raises an error: then run it again, it may have been done."""
    end = time.monotonic() + 30
    while actions := actions_for(table, user_id, links):
        try:
            return dynamodb.transact_write_items(TransactItems=actions)
        except dynamodb.exceptions.TransactionCanceledException as error:
            reasons = {reason["Code"] for reason in error.response["CancellationReasons"]}
            if not reasons <= PASSING or time.monotonic() > end:
                raise
        time.sleep(random.random())


def actions_for(table, user_id, links):
    """The actions of one transaction; none when the user has these links already."""
    user_key = {"PK": {"S": f"USER#{user_id}"}, "SK": {"S": "USER"}}
    user = dynamodb.get_item(TableName=table, Key=user_key, ConsistentRead=True).get("Item")
    if user is None:
        raise LookupError("there is no such user")
    before = {name: user[name] for name in LINKS if name in user}
    after = {name: {"N": str(number)} for name, number in links.items()}
    if before == after:
        return []

    query = dynamodb.get_paginator("query").paginate(
        TableName=table,
        ConsistentRead=True,
        KeyConditionExpression="PK = :pk",
        ExpressionAttributeValues={":pk": {"S": "SAML_PROVIDERS"}},
    )
    providers = [item for page in query for item in page["Items"]]
    if "saml_provider_id" in after and after["saml_provider_id"] not in [one.get("id") for one in providers]:
        raise LookupError("there is no such provider")

    actions = [{"Update": user_update(table, user_key, user_id, before, after)}]
    for provider in providers:
        was_linked, is_linked = links_to(before, provider), links_to(after, provider)
        is_active = provider.get("state") == {"S": "active"}
        if is_linked and not is_active:
            raise LookupError("the provider is being removed or was removed")
        if was_linked == is_linked or not is_active:
            continue
        key = {"PK": {"S": f"SAML_PROVIDER#{provider['id']['N']}"}, "SK": user_key["PK"]}
        if is_linked:
            write = {"Put": {"TableName": table, "Item": key, "ConditionExpression": "attribute_not_exists(PK)"}}
        elif dynamodb.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item"):
            write = {"Delete": {"TableName": table, "Key": key, "ConditionExpression": "attribute_exists(PK)"}}
        else:
            continue  # A link without a membership was not counted.
        actions += [{"Update": count_update(table, provider, 1 if is_linked else -1)}, write]
    return actions


def links_to(links, provider):
    saml, sso = (links.get(name) for name in LINKS)
    return (saml is not None and saml == provider.get("id")) or (sso is not None and sso == provider.get("sso_provider_id"))


def user_update(table, key, user_id, before, after):
    """Sets the links on the condition that they are as read. A link that is absent has no value in the request."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    values = {":id": {"S": user_id}, ":now": {"S": now}}
    values |= {f":old_{name}": value for name, value in before.items()}
    values |= {f":new_{name}": value for name, value in after.items()}
    conditions = [f"{n} = :old_{n}" if n in before else f"attribute_not_exists({n})" for n in LINKS]
    removed = [name for name in LINKS if name not in after]
    return {
        "TableName": table,
        "Key": key,
        "ConditionExpression": " AND ".join(["id = :id", *conditions]),
        "UpdateExpression": "SET "
        + ", ".join(["updated_at = :now", *(f"{name} = :new_{name}" for name in after)])
        + (f" REMOVE {', '.join(removed)}" if removed else ""),
        "ExpressionAttributeValues": values,
    }


def count_update(table, provider, by):
    return {
        "TableName": table,
        "Key": {name: provider[name] for name in ("PK", "SK")},
        "ConditionExpression": "#state = :active",
        "UpdateExpression": "ADD member_count :by",
        "ExpressionAttributeNames": {"#state": "state"},
        "ExpressionAttributeValues": {":active": {"S": "active"}, ":by": {"N": str(by)}},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("user")
    for name in LINKS:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, dest=name)
    given = vars(parser.parse_args())
    try:
        change(given["table"], given["user"], {name: given[name] for name in LINKS if given[name] is not None})
    except LookupError as error:
        sys.exit(f"Nothing was changed: {error}.")
    except (BotoCoreError, ClientError) as error:
        sys.exit(str(error))
