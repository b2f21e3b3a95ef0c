"""moto's server with what AWS does and moto 5.2.5 does not, so that it takes this project's template:
python3 test/engines/moto-server.py -p 5500, with `pip install 'moto[all,server]==5.2.5'`."""
import sys

from moto.awslambda.models import LambdaVersion, get_backend
from moto.cloudformation import models, utils
from moto.server import main

lint = utils.validate_template_cfn_lint


def validate(template):
    """ValidateTemplate refuses errors; moto refuses warnings, too."""
    return [found for found in lint(template) if found.rule.id.startswith("E")]


def create(cls, resource_name, cloudformation_json, account_id, region_name, **_):
    """A version as a resource has an ARN (Ref) and a number (GetAtt); in moto it has neither."""
    name = cloudformation_json["Properties"]["FunctionName"]
    function = get_backend(account_id, region_name).publish_version(name)
    version = cls({"Version": function.version})
    version.arn = function.function_arn
    return version


models.validate_template_cfn_lint = validate
LambdaVersion.create_from_cloudformation_json = classmethod(create)
LambdaVersion.physical_resource_id = property(lambda version: version.arn)
LambdaVersion.get_cfn_attribute = lambda version, _: version.version
main(sys.argv[1:])
