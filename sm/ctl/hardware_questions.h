#pragma once
// This file declares the questions about real devices that a recording of a fabric answers.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "fabric/namespace.h"
#include "fabric/recording/recording.h"

namespace sm::ctl {

struct HardwareAnswer {
  enum class Kind { as_expected, otherwise, not_here, not_run };
  Kind kind = Kind::not_here;
  std::string found;  // counts and types of devices, without names and GUIDs
};

struct QuestionText {
  std::string_view id;  // HW-NAME; never changes
  std::string_view question;
  std::string_view sent;      // which requests
  std::string_view expected;  // by Heddle
  std::string_view matters;   // why another answer would
};

struct HardwareQuestion {
  QuestionText text;
  HardwareAnswer (*answer)(const HardwareQuestion& question, const Recording& recording);
  mad::AttributeId attribute = {};  // if the question is about one
};

struct AnsweredQuestion {
  const QuestionText* question;
  HardwareAnswer answer;
};

/// Names the type of a device. VendorID and DeviceID say nothing of a site.
std::string device_type(const mad::NodeInfo& info);

std::span<const HardwareQuestion> hardware_questions();

/// Answers all questions by a recording that still has the names of the nodes.
std::vector<AnsweredQuestion> answer_hardware_questions(const Recording& recording);

std::string hardware_answers_text(std::span<const AnsweredQuestion> answers);
nlohmann::ordered_json hardware_answers_json(std::span<const AnsweredQuestion> answers);

}  // namespace sm::ctl
