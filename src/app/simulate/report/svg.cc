// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/markup.h"

namespace berth::simulate {
namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 380;
constexpr double kLeft = 70;
constexpr double kRight = 25;
constexpr double kTop = 70;
constexpr double kBottom = 60;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kPlotHeight = kHeight - kTop - kBottom;
// Distinct for the colour-blind as well (Okabe and Ito).
constexpr std::array<std::string_view, 6> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

std::string Text(double x, double y, std::string_view anchor, std::string_view text, std::string_view more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     EscapeMarkup(text));
}

std::string Line(double x1, double y1, double x2, double y2, std::string_view colour) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2,
                     colour);
}

std::string TickText(double tick, bool is_percent) {
  return is_percent ? fmt::format("{:.0f}%", tick * 100) : fmt::format("{:g}", tick);
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart), y_ticks_(Ticks(chart.y.max)) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#444\">\n"
        "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        kWidth, kHeight, EscapeMarkup(chart.title));
    out_ += Text(kLeft, 26, "start", chart.title, " font-size=\"16\" font-weight=\"600\" fill=\"#111\"");
    for (const double tick : y_ticks_) {
      out_ += Line(kLeft, Y(tick), kLeft + kPlotWidth, Y(tick), tick == 0 ? "#888" : "#e4e4e4");
      out_ += Text(kLeft - 8, Y(tick) + 4, "end", TickText(tick, chart.y.is_percent));
    }
    out_ += Text(kLeft + kPlotWidth / 2, kHeight - 14, "middle", chart.x.label);
    out_ += Text(0, 0, "middle", chart.y.label,
                 fmt::format(" transform=\"translate(18 {:.1f}) rotate(-90)\"", kTop + kPlotHeight / 2));
  }

  void TimeTicks() {
    for (const double tick : Ticks(chart_.x.max)) {
      if (tick > chart_.x.max * 1.001) continue;
      out_ += Line(X(tick), kTop + kPlotHeight, X(tick), kTop + kPlotHeight + 5, "#888");
      out_ += Text(X(tick), kTop + kPlotHeight + 20, "middle", TickText(tick, false));
    }
  }

  void Steps(const Series& series, size_t index, bool is_filled) {
    const std::string_view colour = kColours[index % kColours.size()];
    std::string path;
    for (const auto& [x, y] : series.points) {
      path += path.empty() ? fmt::format("M{:.1f} {:.1f}", X(x), Y(y)) : fmt::format("H{:.1f}V{:.1f}", X(x), Y(y));
    }
    path += fmt::format("H{:.1f}", X(chart_.x.max));
    if (is_filled) path += fmt::format("V{:.1f}H{:.1f}Z", Y(0), X(series.points.empty() ? 0 : series.points[0].first));
    out_ += fmt::format("<path d=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"/>\n",
                        path, is_filled ? colour : "none", colour, is_filled ? "0.6" : "1.8");
    const double x = kLeft + 130 * static_cast<double>(index);
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"40\" width=\"14\" height=\"10\" rx=\"2\" fill=\"{}\"/>\n", x, colour);
    out_ += Text(x + 20, 49.5, "start", series.name);
  }

  void Bars(const std::vector<Bar>& bars) {
    const double step = kPlotWidth / static_cast<double>(std::max<size_t>(bars.size(), 1));
    for (size_t i = 0; i < bars.size(); ++i) {
      const double x = kLeft + step * static_cast<double>(i);
      const double middle = x + step / 2;
      out_ +=
          fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" fill=\"{}\"/>\n",
                      x + step * 0.1, Y(bars[i].value), step * 0.8, kTop + kPlotHeight - Y(bars[i].value), kColours[0]);
      if (bars[i].value > 0) out_ += Text(middle, Y(bars[i].value) - 5, "middle", fmt::format("{:g}", bars[i].value));
      out_ += Text(middle, kTop + kPlotHeight + 20, "middle", bars[i].label);
    }
  }

  std::string Finish() { return out_ + "</svg>\n"; }

 private:
  double X(double value) const { return kLeft + kPlotWidth * value / (chart_.x.max > 0 ? chart_.x.max : 1); }
  double Y(double value) const { return kTop + kPlotHeight * (1 - value / y_ticks_.back()); }

  const Chart& chart_;
  std::vector<double> y_ticks_;
  std::string out_;
};

}  // namespace

std::vector<double> Ticks(double max) {
  if (max <= 0) max = 1;
  const double magnitude = std::pow(10, std::floor(std::log10(max / 5)));
  double step = magnitude;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (max / step > 6) step = magnitude * factor;
  }
  std::vector<double> ticks;
  const int count = static_cast<int>(std::ceil(max / step - 1e-9));
  for (int i = 0; i <= count; ++i) ticks.push_back(step * i);
  return ticks;
}

std::string StepChart(const Chart& chart, const std::vector<Series>& series, bool is_filled) {
  Drawing drawing(chart);
  drawing.TimeTicks();
  for (size_t i = 0; i < series.size(); ++i) drawing.Steps(series[i], i, is_filled);
  return drawing.Finish();
}

std::string BarChart(const Chart& chart, const std::vector<Bar>& bars) {
  Drawing drawing(chart);
  drawing.Bars(bars);
  return drawing.Finish();
}

}  // namespace berth::simulate
